/** With many events, the common questions are answered from an index and not by reading the whole table. */
import { expect, test } from "bun:test";
import { changesOfGroups, changesOfHost } from "../../../src/monitoring/events/event-changes.repository.ts";
import { idsOfEvents } from "../../../src/monitoring/events/event-pages.repository.ts";
import { countEvents } from "../../../src/monitoring/events/event-totals.repository.ts";
import { eventListArguments } from "../../../src/monitoring/events/events.schemas.ts";
import { validate } from "../../../src/platform/http/validate.ts";
import { TestApp } from "../../support/app.ts";
import { plansOf } from "../../support/plans.ts";

function manyEvents(): TestApp {
  const app = new TestApp();
  app.db.$client.run(
    "insert into names (id, name) with recursive n(i) as (select 1 union all select i + 1 from n where i < 40) select i, 'service ' || i from n",
  );
  app.db.$client.run(
    `insert into hosts (id, agent_id, created_at, hostname, poll, incarnation, deadline, lastmodified)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
     select i, 'agent ' || i, 0, 'host ' || i, 30, 0, 0, 0 from n`,
  );
  app.db.$client.run(
    `insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message, active)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
     select 1 + i % 200, 1 + i % 40, 3, i, i, 0, 512, i % 3, 1, 'text', i % 500 = 1 from n`,
  );
  app.recount();
  return app;
}

const app = manyEvents();

const QUESTIONS: readonly [args: Record<string, string>, index: RegExp][] = [
  [{}, /events_by_date/],
  [{ dir: "asc" }, /events_by_date/],
  [{ datefrom: "19000" }, /events_by_date/],
  [{ datefrom: "100", dateto: "200" }, /events_by_date/],
  [{ hostid: "5" }, /events_by_host_and_date/],
  [{ hostid: "5", datefrom: "100" }, /events_by_host_and_date/],
  [{ hostid: "5", state: "1" }, /events_by_host_and_date/],
  [{ servicenameid: "5" }, /events_by_service_name_and_date/],
  [
    { hostid: "5", servicenameid: "6" },
    /events_(by_host_and_date|by_service_name_and_date|of_check_by_date|once)/,
  ],
  [{ active: "1" }, /events_active_by_date/],
  [{ active: "2" }, /events_active_by_date/],
];
for (const [args, index] of QUESTIONS)
  test(`${JSON.stringify(args)} is read from ${index.source}`, () => {
    const filter = validate(
      eventListArguments,
      new Map(Object.entries(args).map(([name, value]) => [name, [value]])),
    );
    const plans = plansOf(app, () => idsOfEvents(app.db, filter, 50, countEvents(app.db, filter)));
    const ofEvents = plans.filter((detail) => /\bevents\b/.test(detail));
    expect(ofEvents.join("; ")).toMatch(index);
    expect(plans.join("; ")).not.toMatch(/SCAN events(?! USING)/);
    expect(plans.join("; ")).not.toContain("TEMP B-TREE FOR ORDER BY");
    expect(plansOf(app, () => countEvents(app.db, filter)).join("; ")).not.toMatch(/SCAN events(?! USING)/);
  });

test("changes before a failure are found by the host's dates, those of its groups by dates", () => {
  const time = { from: 0, to: 3600 };
  const host = plansOf(app, () => changesOfHost(app.db, 1, time, 50)).join("; ");
  expect(host).toContain(
    "events USING COVERING INDEX events_by_host_and_date (host_id=? AND date>? AND date<?)",
  );
  const groups = plansOf(app, () => changesOfGroups(app.db, 1, time, "all", 50)).join("; ");
  expect(groups).toContain("events USING COVERING INDEX events_by_date (date>? AND date<?)");
  for (const plan of [host, groups]) expect(plan).not.toMatch(/SCAN/);
});
