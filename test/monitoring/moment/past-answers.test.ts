/** What the API says about a moment is what it said when the moment was the present. */
import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { isOnPostgres } from "../../support/database.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { withKeptMoments } from "../../support/kept-moments.ts";
import { runToEnd } from "../history/history-fixture.ts";
import { answersOfDay, expectSame } from "./same-answers.ts";

appOfEachTest();

const HOUR = 3600;

/** A new process over what an app has stored. It keeps moments; the first one composes each anew for every question. */
async function restarted({ db, clock }: TestApp): Promise<TestApp> {
  const { app: next } = await withKeptMoments((options) => ({ app: new TestApp({ db, ...options }) }));
  next.clock.step(clock.now() - next.clock.now());
  return next;
}

test("what was answered at a moment is answered about it later, also after a restart, when history was packed", async () => {
  const answers = await answersOfDay(app);
  // What reads samples that are not packed is tested on PostgreSQL by moments.test.ts and past-state.test.ts.
  if (!isOnPostgres()) await expectSame(app, answers);
  app.pass(3 * HOUR);
  runToEnd(app.muster.compaction);
  expect(app.rows("select * from samples")).toEqual([]);
  await expectSame(await restarted(app), answers);
});
