/**
 * Starts a limited number of tasks per turn of the event loop. Between turns, incoming data is read, so that
 * many requests cannot delay urgent ones.
 */
export class TasksPerTurn {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;
  #isScheduled = false;

  /** @param perTurn how many tasks may start in one turn of the event loop */
  constructor(private readonly perTurn: number) {}

  /** Starts the work now if this turn has capacity, otherwise in a later turn, in order. */
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
