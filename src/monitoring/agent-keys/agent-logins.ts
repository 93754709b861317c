import { type CollectorCredential, sentLogin } from "./collector-credential.ts";
import type { GuessThrottle } from "./guess-throttle.ts";
import type { Credential } from "./host-binding.ts";
import { keyErrors } from "./key-errors.ts";
import type { KeyRing } from "./key-ring.ts";

/** Authenticates requests of agents, and limits guesses. It needs only headers, so no body is read before. */
export class AgentLogins {
  constructor(
    private readonly parts: {
      credential: CollectorCredential;
      keyRing: KeyRing;
      guessThrottle: GuessThrottle;
    },
  ) {}

  /**
   * The key that a request came with; undefined for the collector's first credential.
   * @param request its Authorization header, and the client's address
   * @throws ApiError 401, 429
   */
  credentialOf({
    authorization,
    address,
  }: {
    authorization: string | undefined;
    address: string;
  }): Credential {
    const { credential, keyRing, guessThrottle } = this.parts;
    const login = sentLogin(authorization);
    const key = login && keyRing.find(login);
    if (key) return key;
    if (login && guessThrottle.mayCompare(address) && credential.accepts(login)) {
      guessThrottle.trust(address);
      return undefined;
    }
    if (login && guessThrottle.countWrong(address)) throw keyErrors.tooManyGuesses();
    throw keyErrors.wrongCredential();
  }
}
