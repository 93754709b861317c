/** Another server, which answers as the specification says, is read with all its habits. */
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { md5 } from "../../../src/accounts/users/password.ts";
import { insertUser } from "../../../src/accounts/users/users.repository.ts";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { type SpecifiedEvent, type SpecifiedServer, serveSpecified } from "./specified-server.ts";

let app: TestApp;
let servers: Bun.Server<unknown>[];
let environment: Record<string, string>;
let content: SpecifiedServer;

const host = (id: number, fields = {}) => ({
  ...{ id: String(id), hostname: `host-${id}`, keepname: "0", ipaddrout: "", portout: -1, sslout: -1 },
  ...{
    monitid: `agent-${id}`,
    monituser: "admin",
    monitpassword: "monit",
    description: "",
    status: 0,
    skew: "4",
  },
  ...fields,
});

const detail = {
  servicetype: "Remote host",
  event: "Connection failed",
  action: "alert",
  message: "no answer",
};
const event = (id: number, fields: Partial<SpecifiedEvent> = {}): SpecifiedEvent => ({
  ...{ id, hostid: 1, date: START - 1000 + id, service: "web", type: 32, state: 1, detail },
  ...fields,
});

const USER = {
  ...{ fullname: "A", title: "", email: "", phone: "", mobile: "", imname: "", imtype: "" },
  admin: true,
};

beforeEach(async () => {
  app = new TestApp();
  content = { hosts: [host(1)], groups: [], users: [], events: [] };
  const { json } = await (await app.admin()).post("/api/1/tokens/create", { name: "import", scope: "full" });
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  const fetch = (request: Request) => app.app.request(request, undefined, { incoming } as never);
  servers = [Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }), serveSpecified(content)];
  environment = { MUSTER_URL: servers[0]?.url.origin ?? "", MUSTER_TOKEN: json.token };
});
afterEach(async () => {
  for (const server of servers) await server.stop(true);
});

test("an export may take as long as an import, which takes longer than other replies", async () => {
  using timeout = spyOn(AbortSignal, "timeout");
  const limits: Record<string, unknown> = {};
  const { fetch } = app.app;
  spyOn(app.app, "request").mockImplementation((request, _init, env) => {
    if (request instanceof Request) limits[new URL(request.url).pathname] = timeout.mock.lastCall?.[0];
    return fetch.call(app.app, request as Request, env);
  });
  expect((await importAll())[0]).toBe(0);
  expect(limits["/api/1/admin/transfer/export"]).toBe(limits["/api/1/admin/transfer/import"]);
  expect(Number(limits["/api/1/admin/transfer/export"])).toBeGreaterThan(
    Number(limits["/api/1/admin/users/list"]),
  );
});

async function importAll(password = "secret", ...options: string[]): Promise<[number, string]> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const argv = ["import-from", servers[1]?.url.origin ?? "", "--user", "admin", ...options];
  const io = { print: say, complain: say, readSecret: async () => password };
  return [await runCommand(COMMANDS, argv, environment, io), lines.join("\n")];
}

test("older names of fields and numbers as text are understood", async () => {
  content.events.push(event(1), event(2, { state: 0 }));
  const [code, printed] = await importAll();
  expect([code, printed]).toEqual([0, expect.stringContaining("events: 2 added")]);
  expect(app.rows("select agent_id, hostname, skew from hosts")).toEqual([
    { agent_id: "agent-1", hostname: "host-1", skew: 4 },
  ]);
  expect(app.rows("select event_type, state, action, service_type, message from events order by id")).toEqual(
    [
      { event_type: 32, state: 1, action: 1, service_type: 4, message: "no answer" },
      { event_type: 32, state: 0, action: 1, service_type: 4, message: "no answer" },
    ],
  );
});

test("a session that ends meanwhile is begun again", async () => {
  content.sessionRequests = 7;
  content.events.push(...Array.from({ length: 30 }, (_, i) => event(i + 1, { date: START - 100 * (i + 1) })));
  expect(await importAll()).toEqual([0, expect.stringContaining("events: 30 added")]);
});

test("long lists are read to their end", async () => {
  content.events.push(
    ...Array.from({ length: 1203 }, (_, i) => event(i + 1, { date: START - 10 * (i + 1) })),
  );
  expect(await importAll()).toEqual([0, expect.stringContaining("events: 1203 added")]);
});

test("events whose type the server cannot tell are left out and counted", async () => {
  content.events.push(event(1), event(2, { type: 8_388_608 }));
  const [code, printed] = await importAll();
  expect(code).toBe(0);
  expect(printed).toContain("events: 1 added");
  expect(printed).toContain("1 event: the other server does not return the type");
});

test("a connection that is lost while types are asked for ends the import, with nothing stored", async () => {
  content.events.push(event(1), event(2, { type: 8_388_608 }));
  content.onLaterType = () => void servers[1]?.stop(true);
  const before = stored(app);
  expect(await importAll()).toEqual([1, expect.stringContaining("cannot be read")]);
  expect(changedTables(app, before)).toEqual(["api_tokens"]);
});

test("a server that does not filter by type is refused before anything is stored", async () => {
  content.ignoresTypes = true;
  content.events.push(event(1));
  const before = stored(app);
  expect(await importAll()).toEqual([1, expect.stringContaining("does not filter events by eventtype")]);
  expect(changedTables(app, before)).toEqual(["api_tokens"]);
});

test("users without an MD5 are brought along without a password, and named", async () => {
  content.users.push(
    { ...USER, uname: "anna", password: md5("anna's secret").toLowerCase() },
    { ...USER, uname: "ben", password: "" },
  );
  const [, printed] = await importAll();
  expect(printed).toContain("users: 2 added");
  expect(printed).toContain('user "ben": no password');
  expect((await app.signedIn("anna", "anna's secret")).csrfToken).not.toBe("");
});

test.each(["oidc", "proxy"] as const)(
  "a user who signs in here with %s stays so, and everything else is brought along",
  async (origin) => {
    insertUser(app.db, { uname: "anna", fullname: "Mine", passwordMd5: "", origin });
    content.users.push({ ...USER, uname: "anna", password: md5("anna's secret") });
    for (const options of [["--dry-run"], []]) {
      const [code, printed] = await importAll("secret", ...options);
      expect(code).toBe(0);
      expect(printed).toContain("users: 0 added, 0 completed, 1 here already");
      expect(printed).toContain('user "anna": the user of this name here signs in another way');
    }
    expect(app.rows("select hostname from hosts")).toEqual([{ hostname: "host-1" }]);
    expect(app.rows("select origin, fullname, password_md5 from users where uname = 'anna'")).toEqual([
      { origin, fullname: "Mine", password_md5: "" },
    ]);
  },
);

test("settings that Muster cannot have are left out and named", async () => {
  content.hosts = [
    host(1, { ipaddrout: "http://x/", skew: 0 }),
    host(2, { monitid: "" }),
    host(3, { sslout: 7 }),
  ];
  const [code, printed] = await importAll();
  expect(code).toBe(0);
  expect(printed).toContain('host "host-1": its ipaddrout, skew cannot be set');
  expect(printed).toContain('host 2, "host-2": it has no agent id');
  expect(printed).toContain('host "host-3": its sslout cannot be set');
  expect(app.rows("select hostname, ipaddrout, skew, sslout from hosts order by id")).toEqual([
    { hostname: "host-1", ipaddrout: "", skew: 3, sslout: -1 },
    { hostname: "host-3", ipaddrout: "", skew: 4, sslout: -1 },
  ]);
});

test("a wrong password and a server of another kind are said", async () => {
  expect(await importAll("wrong")).toEqual([1, expect.stringContaining("refuses the password of admin")]);
  content.hosts = [{ id: "?" }];
  expect(await importAll()).toEqual([1, expect.stringContaining("does not answer admin as such a server")]);
});

test("texts that are longer than Muster keeps them are cut, and the oldest notes are kept", async () => {
  const note = Array.from({ length: 150 }, (_, i) => ({
    date: START - 500 + i,
    uname: "x".repeat(300),
    message: "n",
  }));
  content.events.push(event(1, { detail: { ...detail, message: "m".repeat(20_000), note } }));
  expect(await importAll()).toEqual([0, expect.stringContaining("events: 1 added")]);
  expect(app.rows("select length(message) as length from events")).toEqual([{ length: 16_384 }]);
  expect(
    app.rows("select count(*) as n, min(date) as first, max(length(uname)) as name from event_notes"),
  ).toEqual([{ n: 100, first: START - 500, name: 255 }]);
});
