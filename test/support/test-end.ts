/** What a test takes, such as a database, is given back when it ends. */

/** How to give back what was taken, in the order in which it was taken. */
const taken: (() => void)[] = [];
/** How many of these were taken before the present test. Several tests share them, so they are not given back. */
let shared = 0;

/** @param giveBack called when the test ends during which this is called; outside of tests, never */
export function atTestEnd(giveBack: () => void): void {
  taken.push(giveBack);
}

/** Called before each test. */
export function startTest(): void {
  shared = taken.length;
}

/** Called after each test: gives back what it took. */
export function endTest(): void {
  for (const giveBack of taken.splice(shared)) giveBack();
}
