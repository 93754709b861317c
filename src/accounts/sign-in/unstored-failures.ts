/** The most failures to remember. Beyond that no password is checked until some expire. */
const MAX_UNSTORED = 1000;

interface Failure {
  account: string;
  address: string;
  at: number;
}

export interface FailureLimits {
  /** How long a failure counts, seconds. */
  window: number;
  /** Failures of an account from one address after which it is throttled. */
  perPair: number;
  /** Failures from one address, of any accounts, after which it is throttled. */
  perAddress: number;
}

/** Failed logins during a storage outage, when passwords could otherwise be guessed without limit. */
export class UnstoredFailures {
  #failures: Failure[] = [];

  constructor(private readonly limits: FailureLimits) {}

  /** Whether there were too many failures for another check. @param now unix seconds */
  isThrottled(account: string, address: string, now: number): boolean {
    const { window, perPair, perAddress } = this.limits;
    this.#failures = this.#failures.filter(({ at }) => at > now - window);
    const ofAddress = this.#failures.filter((failure) => failure.address === address);
    const ofPair = ofAddress.filter((failure) => failure.account === account);
    return (
      ofPair.length >= perPair || ofAddress.length >= perAddress || this.#failures.length >= MAX_UNSTORED
    );
  }

  add(failure: Failure): void {
    this.#failures.push(failure);
  }
}
