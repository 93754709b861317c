import * as v from "valibot";
import type { Clock } from "../../platform/clock.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Proofs } from "./provider.ts";

/** Time a user may spend at the provider, seconds. */
export const ATTEMPT_SECONDS = 600;
/** Most used attempts to remember; beyond that the oldest are forgotten. */
const MAX_USED = 10_000;

/** A sign-in in progress. The browser keeps it, sealed, in a cookie. */
export interface Attempt extends Proofs {
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
  /** State of each used attempt, with the time at which it would have expired. */
  readonly #used = new Map<string, number>();

  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  seal(attempt: Attempt): string {
    return this.box.seal(JSON.stringify({ ...attempt, until: this.clock.now() + ATTEMPT_SECONDS }));
  }

  /** Opens an attempt and marks it as used; null when it is invalid, expired or was used before. */
  redeem(sealed: string, state: string): Attempt | null {
    const opened = this.#open(sealed);
    const now = this.clock.now();
    if (!opened || opened.until < now || opened.state !== state || this.#used.has(state)) return null;
    for (const [used, until] of this.#used)
      if (until < now || this.#used.size >= MAX_USED) this.#used.delete(used);
    this.#used.set(state, opened.until);
    const { until: _until, ...attempt } = opened;
    return attempt;
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
