import * as v from "valibot";
import type { Clock } from "../../platform/clock.ts";
import { COOKIES } from "../../platform/http/cookies.ts";
import { LruMap } from "../../platform/lru-map.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Proofs } from "./provider.ts";

/** Time a user may spend at the provider, seconds. */
const ATTEMPT_SECONDS = COOKIES.signIn.maxAge;
/** The most used attempts to remember; beyond that the oldest are forgotten. */
const MAX_USED = 10_000;

/** A sign-in in progress. The browser keeps it, sealed, in a cookie. */
export interface SignInAttempt extends Proofs {
  /** Path of this server to open afterwards. */
  next: string;
}

const schema = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  next: v.string(),
  until: v.number(),
});

/** Sign-ins in progress. Each is valid once and for a limited time. */
export class Attempts {
  /** State of each used attempt. */
  readonly #used = new LruMap<string, true>(MAX_USED);

  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  seal(attempt: SignInAttempt): string {
    return this.box.seal(JSON.stringify({ ...attempt, until: this.clock.now() + ATTEMPT_SECONDS }));
  }

  /** Opens an attempt and marks it as used; null when it is invalid, expired or was used before. */
  redeem(sealed: string, state: string): SignInAttempt | null {
    const opened = this.#open(sealed);
    if (!opened || opened.until < this.clock.now() || opened.state !== state || this.#used.has(state))
      return null;
    this.#used.set(state, true);
    return opened;
  }

  #open(sealed: string) {
    try {
      const result = v.safeParse(schema, JSON.parse(this.box.open(sealed)));
      return result.success ? result.output : null;
    } catch {
      // Sealed by another key, or modified.
      return null;
    }
  }
}
