import { describe, expect, test } from "bun:test";
import { Settings } from "../../../src/platform/settings/settings.service.ts";
import { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

appOfEachTest();

test("a setting that was never stored has its initial value, and one that was survives a restart", () => {
  const { settings, db, box } = new TestApp();
  expect(settings.get("sessionidle")).toBe(30);
  settings.set("sessionidle", 45);
  expect(settings.get("sessionidle")).toBe(45);
  expect(new Settings(db, box).get("sessionidle")).toBe(45);
});

test("a secret setting is sealed in the database, and reads back", () => {
  app.settings.set("collectorpassword", "hemmelig æøå");
  const row = app.rows<{ value: string }>("select value from settings where key = 'collectorpassword'")[0];
  expect(row?.value).toStartWith("v1.");
  expect(row?.value).not.toContain("hemmelig");
  expect(new Settings(app.db, app.box).get("collectorpassword")).toBe("hemmelig æøå");
});

describe("a stored value that this version does not allow ends the start", () => {
  for (const value of ["0", "never", "", "43201"])
    test(`sessionidle "${value}"`, () => {
      const { db, box } = new TestApp();
      db.$client.run("insert or replace into settings (key, value) values ('sessionidle', ?)", [value]);
      expect(() => new Settings(db, box)).toThrow();
    });
});

test("a stored setting of another version is left alone", () => {
  const { db, box } = new TestApp();
  db.$client.run("insert into settings (key, value) values ('fromthefuture', 'x')");
  expect(() => new Settings(db, box)).not.toThrow();
});

test("headers of pushed metrics that are refused now, and were stored by version 1.0.0, do not end the start", async () => {
  const { settings, db, box } = app;
  settings.set("otlpheaders", "Host=collector.example");
  expect(new Settings(db, box).get("otlpheaders")).toBe("Host=collector.example");
  const { status, json } = await admin.post(UPDATE, { otlpheaders: "Host=collector.example" });
  expect([status, json.error]).toEqual([400, expect.stringMatching(/^otlpheaders must be headers as/)]);
});

const UPDATE = "/api/1/admin/settings/update";

test("update stores what is given and keeps the rest", async () => {
  const before = stored(app);
  const reply = await admin.post(UPDATE, { sessionidle: 60, eventdays: 30 });
  expect([reply.status, reply.json]).toEqual([200, {}]);
  expect(changedTables(app, before)).toEqual(["settings"]);
  const { settings } = (await admin.get("/api/1/admin/settings/get")).json;
  const values = Object.fromEntries(
    settings.map(({ name, value }: { name: string; value: unknown }) => [name, value]),
  );
  expect(values).toMatchObject({ sessionidle: 60, eventdays: 30, historyraw: 14, collectoruser: "monit" });
});

test("a new collector password works at once, and the old one for a day", async () => {
  await admin.post(UPDATE, { collectorpassword: "second" });
  expect((await app.report({})).status).toBe(200);
  expect((await app.client().report({}, "second")).status).toBe(200);
  app.clock.step(86_400);
  expect((await app.report({})).status).toBe(401);
  expect((await app.client().report({}, "second")).status).toBe(200);
});

const WRONG: readonly [fields: Record<string, string | number>][] = [
  [{ sessionidle: 0 }],
  [{ sessionidle: "long" }],
  [{ timezone: "Middle/Earth" }],
  [{ collectorpassword: "" }],
  [{ collectoruser: "u".repeat(256) }],
  [{ eventdays: 0 }],
  [{ eventdays: 30, historyraw: 4000 }],
];
for (const [fields] of WRONG)
  test(`update refuses ${JSON.stringify(fields).slice(0, 50)} and stores nothing of it`, async () => {
    await expectRefusal(app, () => admin.post(UPDATE, fields), 400, "argument.invalid");
  });

test("what Muster remembers for itself cannot be set, nor seen", async () => {
  for (const fields of [
    { aliveat: 1 },
    { rolledthrough: 5 },
    { historyrawsince: 5 },
    { collectorpasswordold: "x" },
  ])
    await expectRefusal(app, () => admin.post(UPDATE, fields), 400, "argument.unknown");
  expect((await admin.get("/api/1/admin/settings/get")).text).not.toMatch(/aliveat|since|passwordold/);
});
