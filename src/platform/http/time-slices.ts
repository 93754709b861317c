/**
 * Lets work begin a few pieces at a time. Between them the event loop reads what came in meanwhile, so that a crowd of
 * requests does not hold up what is more urgent.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isScheduled = false;

  /** @param perTurn how many pieces may begin in one turn of the event loop */
  constructor(private readonly perTurn: number) {}

  /** Begins the work now if this turn has room for it, else in a later turn, in the order given. */
  begin(work: () => void): void {
    this.#schedule();
    if (this.#begun < this.perTurn) {
      this.#begun++;
      work();
    } else this.#waiting.push(work);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isScheduled = false;
    this.#begun = 0;
    for (const work of this.#waiting.splice(0, this.perTurn)) this.begin(work);
    if (this.#waiting.length > 0) this.#schedule();
  }
}
