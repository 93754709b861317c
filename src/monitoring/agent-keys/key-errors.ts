/** The errors for agents whose credential is refused. */
import { declareError, withHeaders } from "../../platform/http/errors.ts";
import { GUESS_MS } from "./guess-throttle.ts";

export const keyErrors = {
  wrongCredential: withHeaders(
    declareError(
      401,
      "collector.credential",
      "The user name or password of an agent is wrong (only at /collector and /agent)",
      () =>
        "The user name or password of the collector is wrong: accounts of users cannot post messages, only agent keys and the collector's user in the settings can",
    ),
    () => ({ "WWW-Authenticate": 'Basic realm="Muster collector"' }),
  ),
  tooManyGuesses: withHeaders(
    declareError(
      429,
      "collector.guesses",
      "Too many wrong user names or passwords of agents came from this address (only at /collector and /agent)",
    ),
    () => ({ "Retry-After": String(GUESS_MS / 1000) }),
  ),
  ended: declareError(
    401,
    "key.ended",
    "The key of an agent has ended, or its secret was replaced (only at /collector and /agent)",
    (reason: string) => reason,
  ),
  otherHost: declareError(
    403,
    "key.host",
    "The host of an agent may not use this key (only at /collector, /agent and enrol/exchange)",
    (reason: string) => reason,
  ),
};
