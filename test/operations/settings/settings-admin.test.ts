import { describe, expect, test } from "bun:test";
import { EDITABLE } from "../../../src/platform/settings/settings.definitions.ts";
import { Settings } from "../../../src/platform/settings/settings.service.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";
import type { Reply } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

appOfEachTest();

const GET = "/api/1/admin/settings/get";
const UPDATE = "/api/1/admin/settings/update";
const DAY = 86_400;

interface Setting {
  name: string;
  value: string | number;
  doc: string;
  allowed: string;
  kind: "number" | "text";
  min?: number;
  max?: number;
}

function valuesOf(reply: Reply): Record<string, string | number> {
  return Object.fromEntries(reply.json.settings.map(({ name, value }: Setting) => [name, value]));
}

/** Settings as they are stored, opened, by name. */
function storedSettings({ db, box }: TestApp): Record<string, unknown> {
  const settings = new Settings(db, box);
  return Object.fromEntries(Object.keys(EDITABLE).map((name) => [name, settings.get(name as never)]));
}

describe("the address under which people reach Muster", () => {
  test("is not learnt from a request, but saved by an administrator, as an origin", async () => {
    const address = async () => (await admin.get(GET)).json.baseurl;
    await admin.get(GET, {}, { Host: "evil.example" });
    expect(await address()).toEqual({ origin: "", fixed: false });
    const update = (baseurl: string) => admin.post("/api/1/admin/settings/update", { baseurl });
    for (const wrong of [
      "muster.example",
      "https://a.example/path",
      "https://u:p@a.example",
      "javascript:1",
      "https://a.example/?q",
    ])
      expect([wrong, (await update(wrong)).status]).toEqual([wrong, 400]);
    expect((await update("HTTPS://Muster.Example:8443/")).status).toBe(200);
    expect(await address()).toEqual({ origin: "https://muster.example:8443", fixed: false });
    expect((await update("")).status).toBe(200);
    expect(await address()).toEqual({ origin: "", fixed: false });
  });

  test("given at the start comes before the one that is saved, and the reply says so", async () => {
    const app = new TestApp({ baseUrl: "https://start.example" });
    const admin = await app.admin();
    await admin.post("/api/1/admin/settings/update", { baseurl: "https://saved.example" });
    expect((await admin.get(GET)).json.baseurl).toEqual({ origin: "https://start.example", fixed: true });
  });
});

describe("settings/get", () => {
  test("tells every setting with its value, what is allowed, and the bounds of numbers", async () => {
    const reply = await (await app.admin()).get(GET);
    expect(reply.status).toBe(200);
    const settings: Setting[] = reply.json.settings;
    expect(settings.map(({ name }) => name)).toEqual(Object.keys(EDITABLE));
    for (const { name, doc, allowed, kind, value, min, max } of settings) {
      expect([
        name,
        doc === "",
        allowed === "",
        typeof value === (kind === "number" ? "number" : "string"),
      ]).toEqual([name, false, false, true]);
      expect([name, kind === "number", min === undefined, max === undefined]).toEqual([
        name,
        kind === "number",
        kind !== "number",
        kind !== "number",
      ]);
    }
    expect(settings.find(({ name }) => name === "historyraw")).toMatchObject({
      value: 14,
      min: 1,
      max: 3650,
    });
    expect(settings.find(({ name }) => name === "sessionidle")).toMatchObject({
      value: 30,
      min: 1,
      max: 43_200,
    });
    expect(valuesOf(reply)).toMatchObject({
      collectoruser: "monit",
      collectorpassword: COLLECTOR_PASSWORD,
      historyfiveminutes: 90,
      historyhourly: 1095,
      eventdays: 1095,
    });
  });

  test("tells the size of the database and the age of what it holds", async () => {
    const database = async () => (await admin.get(GET)).json.database;
    expect(await database()).toEqual({ bytes: expect.any(Number), oldestevent: null, oldestsample: null });
    await app.report({ services: [{ name: "web", status: 512 }], event: { service: "web" } });
    app.db.$client.run("insert into history_blocks values (1, 0, 3600, zeroblob(1000000))");
    const { bytes, oldestevent, oldestsample } = await database();
    expect([oldestevent, oldestsample]).toEqual([START, 3600]);
    expect(bytes).toBeGreaterThan(1_000_000);
  });
});

describe("settings/update", () => {
  const CHANGES: readonly Record<string, string | number>[] = [
    { historyraw: 1 },
    { historyraw: 3650 },
    { sessionidle: 43_200 },
    { timezone: "Europe/Oslo" },
    { timezone: "Asia/Calcutta" },
    { timezone: "Europe/Kiev" },
    { collectoruser: "æ:ø" },
    { historyfiveminutes: 7, historyhourly: 8, eventdays: 9 },
    {},
  ];
  for (const fields of CHANGES)
    test(`${JSON.stringify(fields).slice(0, 60)} stores that, and keeps the others`, async () => {
      const before = storedSettings(app);
      const reply = await admin.post(UPDATE, fields);
      expect([reply.status, reply.json]).toEqual([200, {}]);
      const after = { ...before, ...fields };
      expect(storedSettings(app)).toEqual(after);
      expect(valuesOf(await admin.get(GET))).toMatchObject(after);
    });

  for (const timezone of ["Mars/Olympus", "europe/oslo", "+01:00", ""])
    test(`timezone=${timezone} is refused by name, and what is right beside it is not stored either`, async () => {
      const call = () => admin.post(UPDATE, { eventdays: 77, timezone });
      const { json } = await expectRefusal(app, call, 400, "argument.invalid");
      expect(json.error).toStartWith("timezone must be ");
      expect(app.settings.get("eventdays")).not.toBe(77);
    });
});

describe("the collector's password", () => {
  function post(app: TestApp, password: string, user = "monit"): Promise<number> {
    const basic = Buffer.from(`${user}:${password}`).toString("base64");
    return app
      .client()
      .raw("/collector", { method: "POST", body: "<x/>", headers: { Authorization: `Basic ${basic}` } })
      .then((response) => response.status);
  }
  /** The credential was taken and the message read. */
  const TAKEN = 400;

  test("works at once after a change, and the one before for 24 hours", async () => {
    expect((await admin.post(UPDATE, { collectorpassword: "second" })).status).toBe(200);
    expect(valuesOf(await admin.get(GET)).collectorpassword).toBe("second");
    expect([await post(app, "second"), await post(app, COLLECTOR_PASSWORD)]).toEqual([TAKEN, TAKEN]);
    app.clock.step(DAY - 1);
    expect(await post(app, COLLECTOR_PASSWORD)).toBe(TAKEN);
    app.clock.step(1);
    expect([await post(app, "second"), await post(app, COLLECTOR_PASSWORD)]).toEqual([TAKEN, 401]);
  });

  test("goes with its user: a new name takes effect at once, for both passwords", async () => {
    await (await app.admin()).post(UPDATE, { collectoruser: "agents", collectorpassword: "second" });
    expect([await post(app, "second", "agents"), await post(app, COLLECTOR_PASSWORD, "agents")]).toEqual([
      TAKEN,
      TAKEN,
    ]);
  });
});
