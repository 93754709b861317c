import * as v from "valibot";
import type { Clock } from "../../platform/clock.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Proofs } from "./provider.ts";

/** How long people may take at the provider, seconds. */
export const ATTEMPT_SECONDS = 600;
/** Attempts remembered as used; more of them push out the oldest. */
const MAX_USED = 10_000;

/** A sign-in that is under way: who began it carries it along, sealed. */
export interface Attempt extends Proofs {
  /** Path of this server to go to afterwards. */
  next: string;
}

const schema = v.object({
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
  next: v.string(),
  until: v.number(),
});

/** Sign-ins under way, in the hands of the browsers. Each comes back once, in time, or not at all. */
export class Attempts {
  /** State of those that came back, with the time after which they would have expired anyway. */
  readonly #used = new Map<string, number>();

  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  seal(attempt: Attempt): string {
    return this.box.seal(JSON.stringify({ ...attempt, until: this.clock.now() + ATTEMPT_SECONDS }));
  }

  /** The attempt, which is used up by it; null when it is none of ours, another one's, over, or was used before. */
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
      // Not sealed here, or changed since.
      return null;
    }
  }
}
