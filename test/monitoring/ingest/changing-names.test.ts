/** Hosts whose services have a new name each time, as containers do. */
import { expect, test } from "bun:test";
import { withNameIds } from "../../../src/monitoring/events/events.repository.ts";
import {
  MAX_VANISHED_SERVICES,
  unusedNamesSweep,
} from "../../../src/monitoring/ingest/vanished-services.repository.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { processXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const services = (round: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `container ${round}-${i}`, type: 3, body: processXml() }));

const count = (app: TestApp, table: string, where = "true") =>
  app.rows<{ n: number }>(`select count(*) as n from ${table} where ${where}`)[0]?.n;

test("of the services that vanished the last ones are kept, and names that nothing bears are not", async () => {
  const size = 400;
  for (let round = 0; round < 6; round++) {
    expect(
      (await app.report({ services: services(round, size), serviceGroups: { [`g${round}`]: [] } })).status,
    ).toBe(200);
    app.clock.step(1);
  }
  expect(count(app, "services", "vanished_at is null")).toBe(size);
  expect(count(app, "services", "vanished_at is not null")).toBe(MAX_VANISHED_SERVICES);
  expect(count(app, "names")).toBe(size + MAX_VANISHED_SERVICES);
  expect(count(app, "service_groups")).toBe(1);
  expect(count(app, "statistics", "service_id not in (select id from services)")).toBe(0);
  // The last ones: all of the two rounds before this one, and a part of the one before those.
  for (const [round, kept] of [
    [5, size],
    [4, size],
    [3, size],
    [2, MAX_VANISHED_SERVICES - 2 * size],
    [1, 0],
  ])
    expect(count(app, "names", `name like 'container ${round}-%'`)).toBe(kept as number);
});

test("a service that returns is the same one", async () => {
  await app.report({ services: services(1, 1) });
  await app.report({ services: services(2, 1) });
  await app.report({ services: services(1, 1) });
  expect(app.rows("select id, vanished_at is null as present from services order by id")).toEqual([
    { id: 1, present: 1 },
    { id: 2, present: 0 },
  ]);
});

test("a name is kept as long as an event has it, and is deleted with the last one", async () => {
  await app.report({ services: services(0, 1), event: { service: "container 0-0" } });
  for (let round = 1; round < 6; round++) await app.report({ services: services(round, 300) });
  expect(count(app, "services", "id = 1")).toBe(0);
  expect(count(app, "names", "name = 'container 0-0'")).toBe(1);
  expect((await (await app.admin()).get("/api/1/reports/events/list")).status).toBe(200);
  app.db.$client.run("delete from events");
  app.db.$client.run("delete from downtime_intervals");
  app.db.$client.run("delete from silent_recoveries");
  app.db.$client.run("delete from alerts");
  const retention = new Retention(app.db, app.settings, app.clock);
  for (let i = 0; i < 1000 && retention.step(); i++);
  expect(count(app, "names", "name = 'container 0-0'")).toBe(0);
  expect(count(app, "names")).toBe(count(app, "services"));
});

test("names of deleted hosts go", async () => {
  await app.report({ id: "a", services: services(1, 700) });
  await app.report({ id: "b", services: services(1, 3) });
  app.db.$client.run("delete from hosts where agent_id = 'a'");
  const retention = new Retention(app.db, app.settings, app.clock);
  for (let i = 0; i < 1000 && retention.step(); i++);
  expect(count(app, "names")).toBe(3);
});

test("a name that is deleted in the transaction that read it is stored anew", () => {
  transaction(app.db, () => {
    const read = withNameIds(app.db, [{ name: "unused" }]);
    unusedNamesSweep(app.db)(1000);
    expect(count(app, "names", "name = 'unused'")).toBe(0);
    const [anew] = withNameIds(app.db, [{ name: "unused" }]);
    expect(anew?.nameId).not.toBe(read[0]?.nameId);
  });
  expect(count(app, "names", "name = 'unused'")).toBe(1);
});

test("vanished services cost nothing when something changes: only present services are read", async () => {
  for (let round = 0; round < 4; round++) await app.report({ services: services(round, 300) });
  const rows = app.rows(
    "explain query plan select statistics.id from services join statistics on service_id = services.id where host_id in (select value from json_each('[1]')) and vanished_at is null order by statistics.id",
  );
  expect(JSON.stringify(rows)).toContain("services_of_host (host_id=? AND vanished_at=?)");
});
