/** Why messages with a right key are refused. */
import { declareError } from "../../platform/http/errors.ts";

export const keyErrors = {
  ended: declareError(
    401,
    "key.ended",
    "The key of an agent has ended, or its secret was replaced (only at /collector)",
    (reason: string) => reason,
  ),
  otherHost: declareError(
    403,
    "key.host",
    "The host of an agent may not use this key (only at /collector)",
    (reason: string) => reason,
  ),
};
