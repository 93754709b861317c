/** What the API says about a moment is what it said when the moment was the present. */
import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { runToEnd } from "../history/history-fixture.ts";
import { type Answer, answersNow, askAgain, liveThroughDay } from "./eventful-day.ts";

appOfEachTest();

const HOUR = 3600;

/** A new process over what an app has stored. */
function restarted({ db, clock }: TestApp): TestApp {
  const next = new TestApp({ db });
  next.clock.step(clock.now() - next.clock.now());
  return next;
}

/** What docs/moment.md lists as known later: all but why messages were suppressed, and texts that agents report. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (name === "heldback") return [];
      return [[name, known(name === "statistics" ? withoutTexts(field) : field)]];
    }),
  );
}

function withoutTexts(statistics: unknown): unknown {
  return (statistics as unknown[]).filter(
    (statistic) => typeof statistic !== "object" || statistic === null || !("text" in statistic),
  );
}

/** Ids of service groups are those of today, as agents create them anew. */
function withoutIds(path: string, reply: unknown): unknown {
  if (!path.endsWith("/servicegroups/list")) return reply;
  const { records } = reply as { records: { id: number }[] };
  return records.map(({ id, ...group }) => group);
}

/** Asks again about the moments of answers. */
async function expectSame(testApp: TestApp, answers: readonly Answer[]): Promise<void> {
  const admin = await testApp.admin();
  for (const answer of answers) {
    const { status, json } = await askAgain(admin, answer);
    const { at, path, fields } = answer;
    expect({ at, path, fields, status, reply: withoutIds(path, known(json)) }).toEqual({
      ...{ at, path, fields, status: 200 },
      reply: withoutIds(path, known(answer.reply)),
    });
  }
}

/** Lives through the day. @returns what was answered at its moments */
async function answersOfDay(): Promise<Answer[]> {
  const admin = await app.admin();
  const answers: Answer[] = [];
  await liveThroughDay(app, admin, async () => {
    const glanced = answers.findLast(({ path }) => path.endsWith("/glance"))?.at;
    answers.push(...(await answersNow(app, admin, glanced)));
  });
  expect(answers.length).toBeGreaterThan(500);
  return answers;
}

test("what was answered at a moment is answered about it later", async () => {
  await expectSame(app, await answersOfDay());
});

test("it is still answered after a restart, when history was packed", async () => {
  const answers = await answersOfDay();
  app.pass(3 * HOUR);
  runToEnd(app.muster.compaction);
  expect(app.rows("select * from samples")).toEqual([]);
  await expectSame(restarted(app), answers);
});
