/** What clients of the legacy API rely on besides its names: texts, filters, methods, and paths that do not exist. */
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../src/app.ts";
import { staticFiles } from "../../../src/platform/http/static.ts";
import { LEGACY_MOUNTS } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { RequestedPaths } from "../../../src/publishing/legacy-api/requested-paths.ts";
import { LEGACY_FAMILIES } from "../../../src/publishing/legacy-api/unknown-paths.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { filesystemXml, portXml, programXml, STOPPED } from "../../support/agent-messages.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { TestClient } from "../../support/client.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { type Habits, LegacyClient } from "./older-client.ts";

appOfEachTest();

const running: AgentHttpd[] = [];
afterEach(async () => {
  for (const httpd of running.splice(0)) await httpd.stop();
});

async function legacyAdmin(app: TestApp, more = {}): Promise<LegacyClient> {
  const client = new LegacyClient(app);
  await client.login("admin", ADMIN_PASSWORD, { z_csrf_protection: "off", ...more });
  return client;
}

interface Statistic {
  type: number;
  value: unknown;
  text?: string;
}

/** The statistics of a service of host 1. */
async function statisticsOf(client: LegacyClient | TestClient, path: string, service: string) {
  const { services } = (await client.get(path, { id: 1 })).json.records.host;
  const { statistics } = services.find(({ name }: { name: string }) => name === service);
  return new Map<number, Statistic>(statistics.map((statistic: Statistic) => [statistic.type, statistic]));
}

const NAMES = (json: { records: { hostname: string }[] }) =>
  json.records.map(({ hostname }) => hostname).join(" ");

/** Hosts alpha (active, Linux, x86_64), beta (stopped, FreeBSD, amd64) and gamma (ignored, Linux, aarch64). */
async function threeHosts(): Promise<TestApp> {
  const app = new TestApp();
  const linux = { name: "Linux", machine: "x86_64" };
  await app.report({ id: "a", hostname: "alpha", platform: linux });
  const beta = { id: "b", hostname: "beta", platform: { name: "FreeBSD", machine: "amd64" } };
  await app.report(beta);
  await app.report({ ...beta, event: STOPPED });
  await app.report({ id: "c", hostname: "gamma", platform: { name: "Linux", machine: "aarch64" } });
  await (await legacyAdmin(app)).post("/admin/hosts/update", { id: 3, hostname: "gamma", status: 2 });
  return app;
}

for (const mount of LEGACY_MOUNTS)
  describe(`below "${mount}/"`, () => {
    test("a statistic of text carries its text in value, and a port that failed has none", async () => {
      await app.report({
        services: [
          { name: "script", type: 7, body: programXml({ output: "all well" }) },
          { name: "rootfs", type: 0, body: filesystemXml() },
          { name: "web", type: 4, body: portXml({ seconds: -1 }) + portXml({ port: 81, seconds: 0.25 }) },
          { name: "db", type: 4, body: portXml({ seconds: -1 }) },
        ],
      });
      const older = await legacyAdmin(app);
      const path = `${mount}/status/hosts/get`;
      const script = await statisticsOf(older, path, "script");
      expect([script.get(35)?.value, script.get(24)?.value]).toEqual(["all well", 0]);
      const rootfs = await statisticsOf(older, path, "rootfs");
      expect([rootfs.get(53)?.value, rootfs.get(25)?.value]).toEqual(["ext4", "rw,relatime"]);
      expect(rootfs.get(18)?.value).toBe(40);
      expect([...(await statisticsOf(older, path, "web")).values()]).toMatchObject([
        { type: 15, value: 0.25 },
      ]);
      expect([...(await statisticsOf(older, path, "db")).keys()]).toEqual([]);
      const failed = await statisticsOf(await app.admin(), "/api/1/status/hosts/get", "db");
      expect(failed.get(15)?.value).toBe(-1);
      const current = await statisticsOf(await app.admin(), "/api/1/status/hosts/get", "script");
      expect(current.get(35)).toMatchObject({ value: 0, text: "all well" });
    });

    const FILTERS: readonly [query: string, hosts: string][] = [
      ["", "alpha beta gamma"],
      ["status=0", "alpha"],
      ["status=1", "beta"],
      ["status=Ignored", "gamma"],
      ["status=0&status=2", "alpha gamma"],
      ["platform=linux", "alpha gamma"],
      ["platform=FreeBSD&platform=Linux", "alpha beta gamma"],
      ["machine=AMD64", "beta"],
      ["status=0&platform=Linux&machine=x86_64&led=3", "alpha"],
      ["platform=Plan+9", ""],
      ["status=&platform=&machine=", "alpha beta gamma"],
      ["hostgroupid=9&status=0", ""],
    ];
    test("status, platform and machine filter the list of hosts", async () => {
      const app = await threeHosts();
      const older = await legacyAdmin(app);
      for (const [query, hosts] of FILTERS) {
        const { json } = await older.get(`${mount}/status/hosts/list?${query}`);
        const total = hosts === "" ? 0 : hosts.split(" ").length;
        expect([query, NAMES(json), json.totalRecords]).toEqual([query, hosts, total]);
      }
      expect((await older.get(`${mount}/status/hosts/list?status=3`)).json.code).toBe("argument.invalid");
      const current = await (await app.admin()).get(
        "/api/1/status/hosts/list?status=0&platform=Plan+9&machine=x",
      );
      expect(NAMES(current.json)).toBe("alpha beta gamma");
    });

    test("an empty key of session get and delete counts as absent", async () => {
      const older = await legacyAdmin(new TestApp());
      await older.post(`${mount}/session/put`, { colour: "blue", size: "1" });
      const attributes = (await older.get(`${mount}/session/get?key=`)).json;
      expect(Object.keys(attributes)).toEqual(["CSRFToken", "colour", "size"]);
      expect((await older.get(`${mount}/session/get?key=&key=size`)).json).toEqual({ size: "1" });
      await older.post(`${mount}/session/delete`, { key: "" });
      expect(Object.keys((await older.get(`${mount}/session/get`)).json)).toEqual(["CSRFToken"]);
    });

    test("dateto=0 counts as absent", async () => {
      await app.report({ services: [{ name: "web" }], event: { service: "web" } });
      app.clock.step(60);
      const [older, admin] = [await legacyAdmin(app), await app.admin()];
      expect((await older.get(`${mount}/reports/events/list?dateto=0`)).json.totalRecords).toBe(1);
      expect((await admin.get("/api/1/reports/events/list?dateto=0")).json.totalRecords).toBe(0);
      for (const path of ["/reports/uptime/list", "/reports/uptime/get"]) {
        const args = { id: 1, range: 12, datefrom: app.clock.now() - 60, dateto: 0 };
        const reply = await older.post(mount + path, args);
        expect([path, reply.status, reply.json.dateto]).toEqual([path, 200, app.clock.now()]);
        expect((await admin.post(`/api/1${path}`, args)).status).toBe(400);
      }
    });

    test("admin/hosts/list tells how many hosts are inactive, as its last field", async () => {
      const app = await threeHosts();
      const { json } = await (await legacyAdmin(app)).get(`${mount}/admin/hosts/list`);
      expect([json.inactive, json.totalRecords]).toEqual([1, 3]);
      expect(Object.keys(json)).toEqual(["totalRecords", "records", "inactive"]);
      expect(Object.keys((await (await app.admin()).get("/api/1/admin/hosts/list")).json)).toEqual([
        "totalRecords",
        "records",
      ]);
    });

    describe("admin/hosts/test by GET", () => {
      const tryTo = async (habits: Habits, asked: (status: number, body: string, count: number) => void) => {
        const httpd = await AgentHttpd.start();
        running.push(httpd);
        const app = new TestApp();
        const client = new LegacyClient(app, habits);
        client.cookie = (await legacyAdmin(app)).cookie;
        const before = stored(app);
        const args = {
          ipaddr: "127.0.0.1",
          port: httpd.port,
          ssl: 0,
          monituser: "admin",
          monitpassword: "monit",
        };
        const reply = await client.get(`${mount}/admin/hosts/test`, args);
        asked(reply.status, reply.json?.status ?? reply.json?.code, httpd.asked.length);
        if (reply.status === 403) expect(changedTables(app, before)).toEqual([]);
      };

      test("is answered", () => tryTo({}, (...seen) => expect(seen).toEqual([200, "green", 1])));

      for (const headers of [
        { Origin: "http://evil.test" },
        { "Sec-Fetch-Site": "cross-site" },
        { "Sec-Fetch-Site": "same-site" },
        { Referer: "http://evil.test/" },
      ] as unknown as Record<string, string>[])
        test(`is refused with ${JSON.stringify(headers)}, and nothing is asked of the agent`, () =>
          tryTo({ headers }, (...seen) => expect(seen).toEqual([403, "csrf.origin", 0])));

      test("is for administrators, and not there on /api/1", async () => {
        const client = new LegacyClient(app);
        await client.login("user", USER_PASSWORD);
        expect((await client.get(`${mount}/admin/hosts/test`)).json.code).toBe("role.admin");
        expect((await (await app.admin()).get("/api/1/admin/hosts/test")).status).toBe(405);
      });
    });

    test("after the login, clients with a form of their own are sent to what they asked for last", async () => {
      const path = `${mount}/status/hosts/list?led=2`;
      const client = new LegacyClient(app);
      await client.get(`${mount}/status/hosts/summary`);
      await client.get(path);
      await client.get("/index.csp");
      expect((await client.login("user", "wrong")).status).toBe(401);
      expect((await client.login("user", USER_PASSWORD)).headers.get("Location")).toBe(path);
      // Once.
      expect((await client.login("user", USER_PASSWORD)).headers.get("Location")).toBe("/index.csp");
      // Never to what would change something, nor for another client.
      const other = new LegacyClient(app);
      await new LegacyClient(app).get(path);
      for (const changing of ["/session/invalidate", "/admin/hosts/test"]) await other.get(mount + changing);
      expect((await other.login("user", USER_PASSWORD)).headers.get("Location")).toBe("/index.csp");
    });
  });

describe("what clients asked for before the login", () => {
  test("is remembered of the last thousand, and not if it is too long", () => {
    const paths = new RequestedPaths();
    for (let i = 0; i <= 1000; i++) paths.remember(`id-${i}`, `/status/hosts/get?id=${i}`);
    expect([paths.take("id-0"), paths.take("id-1")]).toEqual(["", "/status/hosts/get?id=1"]);
    paths.remember("id-2", `/status/hosts/list?hostpattern=${"x".repeat(2048)}`);
    expect(paths.take("id-2")).toBe("/status/hosts/get?id=2");
  });

  const TOO_FAR = ["//evil.test/", "/\\evil.test/", "/\t/evil.test/", "http://evil.test/"];
  test("leads to no other server, whatever the form says", async () => {
    for (const z_requested of TOO_FAR) {
      const client = new LegacyClient(new TestApp());
      const reply = await client.login("user", USER_PASSWORD, { z_requested });
      expect([z_requested, reply.status, reply.headers.get("Location")]).toEqual([
        z_requested,
        302,
        "/index.csp",
      ]);
    }
  });
});

describe("a path that does not exist", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>the UI</title>");
  const web = staticFiles(folder);
  afterAll(() => rmSync(folder, { recursive: true }));
  const app = createApp({ ...new TestApp().muster, web });
  const client = () => new TestClient((request) => app.request(request));

  const UNKNOWN = [
    "/admin/hosts/summary",
    "/admin/alerts/list",
    "/status/list",
    "/json/status/list",
    "/map",
    "/map/id",
    "/status",
    "/status/hosts",
    "/status/hosts/list/",
    "/admin/",
    "/reports/x",
    "/map/id/nothing",
    "/session",
    "/action",
    "/login",
    "/login/nothing",
    "/json",
    "/uploads/a/b",
    "/status/hosts/detail/x?id=1",
    "/api/2/nothing",
    "/api/2/map",
    "/api/2/status/list",
  ];
  for (const path of UNKNOWN)
    test(`${path} is answered 404 in JSON, by GET and POST`, async () => {
      for (const reply of [await client().get(path), await client().post(path)])
        expect([reply.status, reply.json.code, reply.headers.get("Set-Cookie")]).toEqual([
          404,
          "path.unknown",
          null,
        ]);
    });

  test("of the page of a host leads there, by whoever follows the link", async () => {
    for (const [query, location] of [
      ["?id=1", "/hosts/1"],
      ["?id=0042&x=y", "/hosts/42"],
    ]) {
      const reply = await client().get(`/status/hosts/detail${query}`);
      expect([query, reply.status, reply.headers.get("Location")]).toEqual([query, 302, location]);
    }
    for (const query of [
      "",
      "?id=",
      "?id=x",
      "?id=-1",
      "?id=1/../../evil",
      "?id=%2Fevil.test",
      "?id=12345678901234567",
    ]) {
      const reply = await client().get(`/status/hosts/detail${query}`);
      expect([query, reply.status, reply.json.code]).toEqual([query, 404, "path.unknown"]);
    }
    const post = await client().post("/status/hosts/detail", { id: 1 });
    expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET"]);
  });

  test("is none of the UI's: each of its addresses is answered with its page", async () => {
    const source = readFileSync(join(import.meta.dir, "../../../web/app.tsx"), "utf8");
    const patterns = [...source.matchAll(/pattern: "([^"]+)"/g)].map(([, pattern = ""]) => pattern);
    expect(patterns.length).toBeGreaterThan(15);
    for (const pattern of [...patterns, "/no/such/page"]) {
      const path = pattern.replace(/:\w+/g, "1");
      expect(LEGACY_FAMILIES as readonly string[]).not.toContain(path.split("/")[1]);
      const reply = await client().get(path);
      expect([path, reply.status, reply.text]).toEqual([path, 200, "<!doctype html><title>the UI</title>"]);
    }
  });
});
