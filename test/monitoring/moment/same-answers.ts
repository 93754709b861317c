/** Compares what is answered about moments with what was answered when they were the present. */
import { expect } from "bun:test";
import type { TestApp } from "../../support/app.ts";
import { type Answer, answersNow, askAgain, liveThroughDay } from "./eventful-day.ts";

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
export async function expectSame(testApp: TestApp, answers: readonly Answer[]): Promise<void> {
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
export async function answersOfDay(app: TestApp): Promise<Answer[]> {
  const admin = await app.admin();
  const answers: Answer[] = [];
  await liveThroughDay(app, admin, async () => {
    const glanced = answers.findLast(({ path }) => path.endsWith("/glance"))?.at;
    answers.push(...(await answersNow(app, admin, glanced)));
  });
  expect(answers.length).toBeGreaterThan(500);
  return answers;
}
