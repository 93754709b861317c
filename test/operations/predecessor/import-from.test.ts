/** One Muster brings along what another one knows, over the API that both speak. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { type AgentXml, STARTED } from "../../support/agent-messages.ts";
import { ADMIN_PASSWORD, TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { changedTables, type Stored, stored } from "../../support/stored.ts";

const DAY = 86_400;
const SERVICES = [{ name: "web" }, { name: "db" }];

let old: TestApp;
let now: TestApp;
let servers: Bun.Server<unknown>[];
let environment: Record<string, string>;

function serve({ app }: TestApp): string {
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  const fetch = (request: Request) => app.request(request, undefined, { incoming } as never);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  servers.push(server);
  return server.url.origin;
}

let oldUrl = "";

beforeEach(async () => {
  servers = [];
  old = new TestApp();
  now = new TestApp();
  const admin = await now.admin();
  const { json } = await admin.post("/api/1/tokens/create", { name: "import", scope: "full" });
  environment = { MUSTER_URL: serve(now), MUSTER_TOKEN: json.token };
  oldUrl = serve(old);
});
afterEach(async () => {
  for (const server of servers) await server.stop(true);
});

/** @returns the exit code, and what the command printed */
async function importFrom(...options: string[]): Promise<[number, string]> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const user = options.includes("--user") ? [] : ["--user", "admin"];
  const argv = ["import-from", oldUrl, ...user, ...options];
  const io = { print: say, complain: say, readSecret: async () => ADMIN_PASSWORD };
  return [await runCommand(COMMANDS, argv, environment, io), lines.join("\n")];
}

/** An agent reports, at a time relative to the start. */
function report(app: TestApp, id: string, at: number, message: AgentXml = {}): Promise<Response> {
  return app.report({ id, hostname: `host-${id}`, services: SERVICES, at: START + at, ...message });
}

/** Two hosts, one of them with a failure of two hours ten days ago, a change, and a failure that lasts. */
async function fillOld(): Promise<void> {
  old.clock.step(-20 * DAY);
  for (const id of ["a", "b"]) await report(old, id, -20 * DAY, { event: STARTED });
  old.clock.step(10 * DAY);
  await report(old, "a", -10 * DAY, { event: { service: "web", message: "web is gone" } });
  old.clock.step(7200);
  const back = { service: "web", state: 0, message: "web is back" };
  await report(old, "a", -10 * DAY + 7200, { event: back });
  old.clock.step(8 * DAY - 7200);
  await report(old, "a", -2 * DAY, { event: { service: "db", id: 1, state: 2, message: "other checksum" } });
  await report(old, "a", -2 * DAY, { event: { service: "db", id: 32, action: 2, message: "no connection" } });
  old.clock.step(2 * DAY);
  const admin = await old.admin();
  const { records } = (await admin.get("/api/1/reports/events/list", { text: "gone" })).json;
  await admin.post("/api/1/reports/events/note", { id: records[0].id, message: "fuse" });
  await admin.post("/api/1/admin/hosts/update", {
    ...{ id: 1, hostname: "the web host", keepname: 1, description: "in the cellar", skew: 5 },
    ...{ agentuser: "", agentpassword: "", ipaddrout: "192.0.2.7", portout: 2813 },
  });
  await admin.post("/api/1/admin/hosts/update", {
    id: 2,
    hostname: "host-b",
    status: 2,
    agentuser: "",
    agentpassword: "",
  });
  await admin.post("/api/1/admin/groups/create", { name: "cellar" });
  await admin.post("/api/1/admin/groups/create", { name: "empty" });
  await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
  await admin.post("/api/1/admin/users/create", {
    ...{
      uname: "anna",
      fullname: "Anna A",
      password: "a long secret",
      email: "anna@example.org",
      phone: "1",
    },
  });
}

/** Tables that changed, besides the note when a token was last used. */
const changed = (app: TestApp, before: Stored) =>
  changedTables(app, before).filter((table) => table !== "api_tokens");

const idOf = (app: TestApp, agentid: string) =>
  app.rows<{ id: number }>(`select id from hosts where agent_id = '${agentid}'`)[0]?.id;

const uptimeOf = async (app: TestApp) => {
  const range = { range: 12, datefrom: START - 15 * DAY, dateto: START, id: idOf(app, "a") };
  const { items, uptime } = (await (await app.admin()).get("/api/1/reports/uptime/get", range)).json;
  const rows = items.map((item: Record<string, unknown>) => [
    item.name,
    item.uptime,
    item.downtime,
    item.events,
  ]);
  return { uptime, rows };
};

const eventsOf = async (app: TestApp) => {
  const admin = await app.admin();
  const { records } = (await admin.get("/api/1/reports/events/list", { sort: "date", dir: "asc" })).json;
  const details = [];
  for (const { id } of records) {
    const { json } = await admin.get("/api/1/reports/events/get", { id });
    const { date, host, servicename, servicetype, event, eventstate, action, message, note, active } = json;
    details.push({ date, host, servicename, servicetype, event, eventstate, action, message, note, active });
  }
  // In a second, hosts have the order of their ids.
  return details.sort((a, b) => a.date - b.date || a.host.localeCompare(b.host));
};

describe("all that the API gives is brought along", () => {
  beforeEach(fillOld);

  test("before the agents report here", async () => {
    const [code, printed] = await importFrom();
    expect([code, printed.split("\n")]).toEqual([
      0,
      [
        "groups: 2 added, 0 completed, 0 here already",
        "hosts: 2 added, 0 completed, 0 here already",
        "users: 1 added, 0 completed, 2 here already",
        "events: 6 added, 0 here already, 0 older than Muster keeps events",
        expect.stringContaining("not imported"),
      ],
    ]);
    expect(await eventsOf(now)).toEqual(await eventsOf(old));
    const admin = await now.admin();
    const settings = ["agentid", "hostname", "keepname", "description", "ipaddrout", "portout", "skew"];
    for (const agentid of ["a", "b"]) {
      const here = (await admin.get("/api/1/admin/hosts/get", { id: idOf(now, agentid) })).json;
      const there = (await (await old.admin()).get("/api/1/admin/hosts/get", { id: idOf(old, agentid) }))
        .json;
      expect(settings.map((name) => here[name])).toEqual(settings.map((name) => there[name]));
    }
    const { records } = (await admin.get("/api/1/admin/hosts/list")).json;
    expect(records.map(({ hostname, status }: Record<string, string>) => [hostname, status])).toEqual([
      ["host-b", "Ignored"],
      ["the web host", "Inactive"],
    ]);
    const { groups } = (await admin.get("/api/1/admin/groups/list")).json;
    expect(groups).toEqual([
      expect.objectContaining({ name: "cellar", hosts: [idOf(now, "a")] }),
      expect.objectContaining({ name: "empty", hosts: [] }),
    ]);
    expect((await now.signedIn("anna", "a long secret")).csrfToken).not.toBe("");
  });

  test("uptime of the past is the same on both servers", async () => {
    await importFrom();
    for (const app of [old, now])
      await report(app, "a", 0, { services: [{ name: "web" }, { name: "db", status: 32 }] });
    const there = await uptimeOf(old);
    expect(await uptimeOf(now)).toEqual(there);
    // 2 hours and 2 days of 15 days: the agents have been there since they said that they started.
    expect(
      there.rows.map(([name, uptime]: [string, number]) => [name, Math.round(uptime * 100) / 100]),
    ).toEqual([
      ["db", 86.67],
      ["web", 99.44],
    ]);
  });

  test("a dry run says the same and changes nothing", async () => {
    const before = stored(now);
    const [code, printed] = await importFrom("--dry-run");
    expect(changed(now, before)).toEqual([]);
    expect([code, printed.split("\n")]).toEqual([
      0,
      ["Nothing is changed. This is what would be imported:", ...(await importFrom())[1].split("\n")],
    ]);
  });

  test("a second run changes nothing, and one that was interrupted is completed", async () => {
    await importFrom();
    const before = stored(now);
    expect((await importFrom())[1]).toContain("events: 0 added, 6 here already");
    expect(changed(now, before)).toEqual([]);
    now.db.$client.run("delete from events where event_type = 512");
    expect((await importFrom())[1]).toContain("events: 2 added, 4 here already");
  });

  test("the other server is only read", async () => {
    const before = stored(old);
    await importFrom();
    expect(changedTables(old, before).filter((table) => !table.startsWith("session"))).toEqual([]);
  });
});

describe("a server that had imported events itself", () => {
  const addedOf = ([, printed]: [number, string]) => /^events: .* here already/m.exec(printed)?.[0];

  test.each([
    ["after the one they came from", true],
    ["before the one they came from", false],
  ])("is imported %s, and each event is stored once", async (_, isLater) => {
    await fillOld();
    // Two in a second, as of the tests of two ports, are two.
    for (const message of ["port 80", "port 443"]) {
      const event = { service: "web", id: 32, message, collectedUsec: message.length };
      await report(old, "a", 0, { event });
    }
    // With other ids there than here.
    for (let i = 0; i < 10; i++)
      await report(now, "z", 0, { event: { service: "web", id: 1, state: 2, collectedUsec: i } });
    now.db.$client.run("delete from events");
    await importFrom();
    const direct = environment;
    const urls = { old: oldUrl, between: environment.MUSTER_URL ?? "" };
    const third = new TestApp();
    const { json } = await (await third.admin()).post("/api/1/tokens/create", { name: "x", scope: "full" });
    environment = { ...direct, MUSTER_URL: serve(third), MUSTER_TOKEN: json.token };
    oldUrl = isLater ? urls.old : urls.between;
    expect(addedOf(await importFrom())).toBe("events: 8 added, 0 here already");
    oldUrl = isLater ? urls.between : urls.old;
    expect(addedOf(await importFrom("--dry-run"))).toBe("events: 0 added, 8 here already");
    expect(addedOf(await importFrom())).toBe("events: 0 added, 8 here already");
    expect(third.rows("select id from events")).toHaveLength(8);
  });

  test("has its events in parts that do not divide a second", async () => {
    for (const app of [old, now]) app.clock.step(300);
    // 201 events, the last two in one second.
    const seconds = [...Array(200).keys(), 199];
    for (const [i, second] of seconds.entries()) {
      const event = { service: "web", id: 1, state: 2, collectedSec: START + second, collectedUsec: i };
      await report(old, "a", 300, { event });
    }
    expect(addedOf(await importFrom())).toBe("events: 201 added, 0 here already");
  });
});

describe("side by side with agents that report here already", () => {
  beforeEach(async () => {
    await fillOld();
    await report(now, "a", 0);
  });

  test("hosts are the same, and what was set here stays", async () => {
    const admin = await now.admin();
    const own = {
      id: 1,
      hostname: "my name",
      keepname: 1,
      description: "",
      skew: 7,
      agentuser: "",
      agentpassword: "",
    };
    await admin.post("/api/1/admin/hosts/update", own);
    await admin.post("/api/1/admin/users/create", {
      uname: "anna",
      fullname: "Mine",
      password: "another secret",
    });
    expect((await importFrom())[1].split("\n").slice(0, 3)).toEqual([
      "groups: 2 added, 0 completed, 0 here already",
      "hosts: 1 added, 1 completed, 0 here already",
      "users: 0 added, 0 completed, 3 here already",
    ]);
    expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json).toMatchObject({
      agentid: "a",
      ...{ hostname: "my name", skew: 7 },
      ...{ description: "in the cellar", ipaddrout: "192.0.2.7", portout: 2813 },
    });
    expect((await now.signedIn("anna", "another secret")).csrfToken).not.toBe("");
  });

  test("an event that the agent sends to both is stored once", async () => {
    const event = { service: "web", message: "web is gone again" };
    for (const app of [old, now]) await report(app, "a", 0, { event });
    expect((await importFrom())[1]).toContain("events: 6 added, 1 here already");
    const { records } = (await (await now.admin()).get("/api/1/reports/events/list")).json;
    expect(records).toHaveLength(7);
    // It waited in the queue of the agent.
    await report(now, "a", 0, { event: { service: "web", collectedSec: START - 10 * DAY } });
    expect(now.rows("select id from events")).toHaveLength(7);
  });
});

describe("what cannot be done is said", () => {
  test.each([
    ["no-address", [], "URL must be the address of the other server"],
    ["http://admin:secret@127.0.0.1:9/", [], "URL must be without user and password"],
    ["http://127.0.0.1:9/", [], "http://127.0.0.1:9 cannot be read"],
  ])("%s", async (url, options, message) => {
    oldUrl = url;
    const [code, printed] = await importFrom(...options);
    expect([code, printed]).toEqual([1, expect.stringContaining(message)]);
    expect(printed).not.toContain("secret");
  });

  test("a user of the other server who is no administrator", async () => {
    const [code, printed] = await importFrom("--user", "user");
    expect([code, printed]).toEqual([1, expect.stringContaining("refuses the password of user")]);
  });

  test("an older event than Muster keeps", async () => {
    await fillOld();
    await (await now.admin()).post("/api/1/admin/settings/update", { eventdays: 9 });
    expect((await importFrom())[1]).toContain("events: 2 added, 0 here already, 4 older than");
  });
});
