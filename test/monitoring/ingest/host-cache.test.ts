/** The hosts that are kept in memory: the ones used last, and never too many. */
import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { Random } from "../../support/random.ts";
import { reportRounds } from "./host-cache-rounds.ts";

test("hosts with news stay known, however many others repeat what they said", async () => {
  // As 10,000 known hosts of a fleet of 20,000, a tenth of which always has news.
  const { loads, messages } = await reportRounds({ hosts: 400, known: 200, failing: 40, rounds: 6 });
  expect(messages).toBe(2400);
  // After the first round those with news are read back once at most.
  expect(loads).toBeLessThanOrEqual(40);
});

test("none of its maps grows beyond what is kept", async () => {
  const random = new Random(1);
  const limits = { hosts: 10, templates: 20 };
  const app = new TestApp({ hostCache: limits });
  for (let i = 0; i < 600; i++) {
    const id = `agent-${random.below(60)}`;
    expect((await app.report({ id, services: [{ name: "app", status: 0 }] })).status).toBe(200);
    if (random.chance(0.1)) app.hostCache.forget(random.below(60));
    if (random.chance(0.1)) app.hostCache.forgetAgent(`agent-${random.below(60)}`);
    const { known, templates, templateByAgent, agentIds } = app.hostCache.usage;
    expect(known).toBeLessThanOrEqual(limits.hosts);
    expect(templates).toBeLessThanOrEqual(limits.templates);
    expect(templateByAgent).toBe(templates);
    expect(agentIds).toBeLessThanOrEqual(known + templates);
  }
  for (let id = 1; id <= 60; id++) app.hostCache.forget(id);
  expect(app.hostCache.usage).toMatchObject({ known: 0, templates: 0, templateByAgent: 0, agentIds: 0 });
});

test("a host that was dropped reports as if it had been known", async () => {
  const app = new TestApp({ hostCache: { hosts: 1, templates: 1 } });
  for (let round = 0; round < 3; round++)
    for (const id of ["a", "b", "c"])
      expect((await app.report({ id, services: [{ name: "app", status: 0 }] })).status).toBe(200);
  expect(app.rows("select count(*) as n from hosts")).toEqual([{ n: 3 }]);
  expect(app.rows("select count(*) as n from services")).toEqual([{ n: 3 }]);
  expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 9 }]);
});
