/** Keeps a transfer at or below a rate. */
export class Pace {
  /** When the next bytes may be sent, milliseconds. */
  #next = 0;

  /**
   * @param rate bytes a second; 0: unlimited
   * @param monotonic milliseconds
   */
  constructor(
    private readonly rate: number,
    private readonly sleep: (milliseconds: number) => Promise<void>,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  /** Waits until earlier bytes have taken their time at the rate. Call it before bytes are sent. */
  async spend(bytes: number): Promise<void> {
    if (this.rate === 0) return;
    const now = this.monotonic();
    const wait = this.#next - now;
    this.#next = Math.max(now, this.#next) + (bytes / this.rate) * 1000;
    if (wait > 0) await this.sleep(wait);
  }
}
