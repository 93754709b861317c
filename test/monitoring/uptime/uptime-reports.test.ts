import { describe, expect, test } from "bun:test";
import type { AgentXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";

const LIST = "/api/1/reports/uptime/list";
const GET = "/api/1/reports/uptime/get";
const BARS = "/api/1/reports/uptime/bars";

/** A host that is heard every 30 s until `until`. */
async function appWithHost(message: AgentXml = {}, until = 0): Promise<TestApp> {
  const app = new TestApp();
  for (;;) {
    const at = app.clock.now();
    await app.report({ services: [{ name: "web" }], ...message, at, incarnation: START - 3600 });
    if (at >= START + until) return app;
    app.pass(30);
  }
}

/** The fields of an item beyond the specification. */
const down = (downseconds: number) => ({ downseconds, muted: null });

describe("uptime of hosts", () => {
  test("a silence counts from its event to the next message, and shows in text and percent", async () => {
    const app = await appWithHost({}, 300);
    app.pass(100); // silent from 391 on
    app.pass(291);
    await app.report({ at: app.clock.now(), incarnation: START - 3600 });
    const reply = await (await app.user()).get(LIST, { range: 12, datefrom: START, dateto: START + 691 });
    expect(reply.json).toEqual({
      range: 12,
      datefrom: START,
      dateto: START + 691,
      uptime: (100 * 391) / 691,
      downtime: "5m",
      items: [
        {
          id: 1,
          active: 1,
          name: "host-1",
          uptime: (100 * 391) / 691,
          downtime: "5m",
          events: 2,
          ...down(300),
        },
      ],
      timezone: "UTC",
    });
  });

  test("has a timeline if asked for: when each item was up, down or not counted", async () => {
    const app = await appWithHost({}, 300);
    app.pass(300); // silent from 391 on
    const day = { range: 12, datefrom: START - 240, dateto: START + 720, cells: 24 };
    const user = await app.user();
    const { items } = (await user.get(LIST, day)).json;
    const drawn = items[0].cells.map((cell: number) => "-u?D"[cell]).join("");
    expect(drawn).toBe(`${"-".repeat(6)}${"u".repeat(9)}${"D".repeat(6)}${"-".repeat(3)}`);
    expect((await user.get(GET, { ...day, id: 1 })).json.items[0].cells).toHaveLength(24);
    expect((await user.get(LIST, { range: 5 })).json.items[0].cells).toBeUndefined();
  });

  test("a host that is still silent is down until now, however far the range extends", async () => {
    const app = await appWithHost();
    app.pass(91 + 59);
    const client = await app.user();
    const reply = await client.get(LIST, { range: 12, datefrom: START, dateto: START + 86_400 });
    expect(reply.json.items[0]).toMatchObject({ uptime: (100 * 91) / 150, downtime: "59s" });
    const bars = await client.get(BARS, {
      id: 1,
      range: 12,
      datefrom: START,
      dateto: START + 300,
      cells: 30,
    });
    const sum = (key: string) =>
      bars.json.cells.reduce((total: number, cell: Record<string, number>) => total + (cell[key] ?? 0), 0);
    expect([sum("up"), sum("down"), sum("excluded")]).toEqual([91, 59, 150]);
  });

  test("the average leaves out hosts of which nothing counted", async () => {
    const app = await appWithHost();
    app.pass(91);
    await app.report({ id: "agent-2", hostname: "late" });
    const reply = await (await app.user()).get(LIST, { range: 12, datefrom: START, dateto: START + 91 });
    expect(reply.json.items.map((item: { uptime: number }) => item.uptime)).toEqual([100, 100]);
    app.pass(10);
    const later = await (await app.user()).get(LIST, {
      range: 12,
      datefrom: START + 91,
      dateto: START + 101,
    });
    expect(later.json).toMatchObject({ uptime: 50, downtime: "5s" });
  });

  test("without hosts the average is 100 percent and no downtime", async () => {
    const app = new TestApp();
    const reply = await (await app.user()).post(LIST, { range: 5 });
    expect(reply.json).toMatchObject({ uptime: 100, downtime: "0s", items: [] });
  });

  test("POST is answered like GET", async () => {
    const app = await appWithHost({}, 60);
    const client = await app.user();
    for (const path of [LIST, GET]) {
      const fields = { id: 1, range: 12, datefrom: START, dateto: START + 60 };
      const [got, posted] = [await client.get(path, fields), await client.post(path, fields)];
      expect(posted.status).toBe(200);
      expect(posted.json).toEqual(got.json);
    }
  });
});

describe("uptime of services", () => {
  const failing = { services: [{ name: "web", status: 512 }] };
  const dead: AgentXml = { ...failing, event: { service: "web" } };

  test("an open failure counts until now, and the host's silence is not its own", async () => {
    const app = await appWithHost(dead);
    app.pass(200);
    const reply = await (await app.user()).get(GET, { id: 1, range: 12, datefrom: START - 100 });
    expect(reply.json.items).toEqual([
      { id: 1, active: 1, name: "web", uptime: 0, downtime: "3m 20s", events: 1, ...down(200) },
    ]);
  });

  test("a failure that ends in the second of its repeated error has ended", async () => {
    const app = await appWithHost(dead);
    app.clock.step(60);
    const now = { at: app.clock.now(), incarnation: START - 3600 };
    await app.report({ ...now, ...dead });
    await app.report({ ...now, services: [{ name: "web", status: 512, monitor: 0 }] });
    expect(app.rows("select started_at, ended_at from downtime_intervals")).toEqual([
      { started_at: START, ended_at: START + 61 },
    ]);
    expect(app.rows("select id from events where active = true")).toEqual([]);
  });

  test("a service named like the agent itself is known from its own first message", async () => {
    const app = await appWithHost();
    app.pass(100); // silent from 91 on
    await app.report({ at: app.clock.now(), incarnation: START - 3600, services: [{ name: "Monit" }] });
    app.pass(20);
    const window = { range: 12, datefrom: START, dateto: START + 120 };
    const reply = await (await app.user()).get(BARS, { id: 1, service: "Monit", ...window, cells: 24 });
    expect(reply.json.cells.reduce((sum: number, cell: { up: number }) => sum + cell.up, 0)).toBe(20);
  });

  test("an unmonitored service is not active and its time does not count", async () => {
    const app = await appWithHost({ services: [{ name: "off", monitor: 0 }, { name: "web" }] }, 60);
    const reply = await (await app.user()).get(GET, { id: 1, range: 12, datefrom: START });
    expect(reply.json.items).toEqual([
      { id: 1, active: 0, name: "off", uptime: 100, downtime: "0s", events: 0, ...down(0) },
      { id: 2, active: 1, name: "web", uptime: 100, downtime: "0s", events: 0, ...down(0) },
    ]);
    const bars = await (await app.user()).get(BARS, {
      id: 1,
      service: "off",
      range: 12,
      datefrom: START,
    });
    for (const cell of bars.json.cells) expect([cell.up, cell.down]).toEqual([0, 0]);
  });
});

describe("refusals", () => {
  for (const [path, fields] of [
    [GET, { id: 99 }],
    [BARS, { id: 99 }],
    [BARS, { id: 1, service: "none" }],
  ] as const)
    test(`${path} ${JSON.stringify(fields)} is 404`, async () => {
      const app = await appWithHost();
      const client = await app.user();
      await expectRefusal(app, () => client.get(path, fields), 404, "object.unknown");
    });

  test("a range other than 12 ignores the dates, whatever they hold", async () => {
    const app = await appWithHost({}, 60);
    const client = await app.user();
    const dates = [
      ["x", "y"],
      ["", ""],
      ["-1", "99999999999999"],
      ["2026-01-01", "1.5"],
      [START + 10, START],
    ];
    for (const range of [{}, { range: 0 }, { range: 5 }, { range: 9 }])
      for (const [datefrom = "", dateto = ""] of dates)
        for (const path of [LIST, GET, BARS]) {
          const fields = { id: 1, ...range };
          const reply = await client.get(path, { ...fields, datefrom, dateto });
          expect([path, reply.status]).toEqual([path, 200]);
          expect(reply.json).toEqual((await client.get(path, fields)).json);
        }
    const custom = () => client.get(LIST, { range: 12, datefrom: "x" });
    const refusal = await expectRefusal(app, custom, 400, "argument.invalid");
    expect(refusal.json.error).toStartWith("datefrom must be");
    const unknown = () => client.get(LIST, { range: 4, datefrom: "x" });
    expect((await expectRefusal(app, unknown, 400, "argument.invalid")).json.error).toStartWith(
      "range must be",
    );
  });

  test("a range in the future has 100 percent, and nothing of it is counted", async () => {
    const app = await appWithHost({}, 60);
    const client = await app.user();
    const future = { range: 12, datefrom: START + 86_400, dateto: START + 2 * 86_400 };
    const { json } = await client.get(LIST, { ...future, cells: 24 });
    expect(json).toMatchObject({ uptime: 100, items: [{ uptime: 100, cells: Array(24).fill(0) }] });
  });
});

describe("a report", () => {
  test("is of the members of groups", async () => {
    const app = new TestApp();
    await app.report({ id: "a", hostname: "web", hostGroups: ["Oslo"] });
    await app.report({ id: "b", hostname: "db", hostGroups: ["Bergen", "Oslo"] });
    await app.report({ id: "c", hostname: "alone" });
    const user = await app.user();
    const { records } = (await user.get("/api/1/status/hostgroups/list")).json;
    const idOf = (name: string) => records.find((group: { name: string }) => group.name === name).id;
    const namesIn = async (...groups: number[]) =>
      (await user.get(LIST, { hostgroupid: groups })).json.items.map(({ name }: { name: string }) => name);
    expect(await namesIn(idOf("Oslo"))).toEqual(["db", "web"]);
    expect(await namesIn(idOf("Bergen"))).toEqual(["db"]);
    expect(await namesIn(idOf("Bergen"), idOf("Oslo"))).toEqual(["db", "web"]);
    expect(await namesIn(999)).toEqual([]);
    expect((await user.get(LIST, { hostgroupid: "Oslo" })).status).toBe(400);
  });

  test("says what is muted", async () => {
    const app = await appWithHost({ services: [{ name: "web" }, { name: "db" }] });
    const admin = await app.admin();
    const mute = { filter: { hosts: [1], servicenames: ["web"] }, note: "Patching", minutes: 60 };
    expect((await admin.post("/api/1/mutes/create", mute)).status).toBe(200);
    const muted = async (path: string) =>
      (await admin.get(path, { id: 1 })).json.items.map((item: { muted: object | null }) => item.muted);
    expect(await muted(LIST)).toEqual([null]);
    expect(await muted(GET)).toEqual([
      null,
      { until: app.clock.now() + 3600, uname: "admin", note: "Patching" },
    ]);
  });
});

describe("CSV", () => {
  const HEADER = "id,name,active,uptime percent,downtime seconds,events\r\n";

  test("a list is also available as a CSV file, in which no name is a formula", async () => {
    const app = new TestApp();
    const names = ["=1+1", "+1", "-1", "@a", "\tb", 'c "d", e', "æ\nf", "plain", "a=1"];
    for (const [i, hostname] of names.entries()) await app.report({ id: `agent-${i}`, hostname });
    const stored = new Map(
      app
        .rows<{ id: number; hostname: string }>("select id, hostname from hosts")
        .map((row) => [row.hostname, row.id]),
    );
    const reply = await (await app.user()).get(LIST, { format: "csv" });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(reply.headers.get("Content-Disposition")).toBe('attachment; filename="uptime.csv"');
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    const cells: Record<string, string> = {
      "=1+1": "'=1+1",
      "+1": "'+1",
      "-1": "'-1",
      "@a": "'@a",
      "\tb": `"'\tb"`,
      'c "d", e': '"c ""d"", e"',
      "æ\nf": '"æ\nf"',
      plain: "plain",
      "a=1": "a=1",
    };
    for (const hostname of stored.keys())
      expect(reply.text).toContain(`\r\n${stored.get(hostname)},${cells[hostname]},1,100,0,0\r\n`);
    expect(reply.text.startsWith(HEADER)).toBe(true);
    expect(stored.size).toBe(names.length);
  });

  test("the services of a host, by POST too", async () => {
    const app = await appWithHost({
      services: [{ name: "@web", status: 512 }],
      event: { service: "@web" },
    });
    app.pass(60);
    const client = await app.user();
    const fields = { id: 1, range: 12, datefrom: START, format: "csv" };
    const expected = `${HEADER}1,'@web,1,0,60,1\r\n`;
    expect((await client.get(GET, fields)).text).toBe(expected);
    expect((await client.post(GET, fields)).text).toBe(expected);
  });
});
