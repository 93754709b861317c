import { expect, test } from "bun:test";
import { ApiError } from "../../../src/platform/http/errors.ts";
import { Slots } from "../../../src/platform/queries/slots.ts";

/** Takes slots, and notes their holders, in order. */
function taking(slots: number, waiting: number, timeLimitMs = 60_000) {
  const pool = new Slots({ slots, waiting, timeLimitMs });
  const notes: string[] = [];
  const releases: (() => void)[] = [];
  const take = async (turn: string) => {
    try {
      releases.push(await pool.take(turn));
      notes.push(turn);
    } catch (error) {
      notes.push(`${turn} ${error instanceof ApiError ? error.status : error}`);
    }
  };
  const settled = async () => {
    await Bun.sleep(0);
    return notes.splice(0);
  };
  return { take, settled, release: () => releases.shift()?.() };
}

test("a caller has one slot, and the next goes to the caller served longest ago", async () => {
  const { take, settled, release } = taking(2, 10);
  for (const turn of ["a", "a", "b", "c"]) void take(turn);
  expect(await settled()).toEqual(["a", "b"]);
  release();
  expect(await settled()).toEqual(["c"]);
  release();
  expect(await settled()).toEqual(["a"]);
});

test("too many that wait are refused, of the caller with most of them, and so is who waits too long", async () => {
  const { take, settled } = taking(1, 2);
  for (const turn of ["a", "a", "a", "b"]) void take(turn);
  expect(await settled()).toEqual(["a", "a 503"]);
  const impatient = taking(1, 2, 20);
  void impatient.take("a");
  await impatient.take("b");
  expect(await impatient.settled()).toEqual(["a", "b 503"]);
});
