/** The content of the metrics of a fleet. */
import { describe, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { Compaction } from "../../../src/monitoring/history/compaction.service.ts";
import { createLog } from "../../../src/platform/log.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { FAMILY_NAMES, STATISTIC_FAMILIES } from "../../../src/publishing/metrics/fleet-families.ts";
import { filesystemXml, STOPPED } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { captured } from "../../support/fixtures.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { FLEET, familiesOf, samplesOf, system } from "./fleet-samples.ts";

appOfEachTest();

describe("who may ask", () => {
  test("a session and an API token may, even if only for reading; nobody else, not even on this machine", async () => {
    for (const address of ["127.0.0.1", "::1", "192.0.2.10"]) {
      const reply = await app.client(address).get(FLEET);
      expect([reply.status, reply.json.code]).toEqual([401, "session.required"]);
    }
    expect((await user.get(FLEET)).status).toBe(200);
    const { token } = (await user.post("/api/1/tokens/create", { name: "p", scope: "read" })).json;
    const reply = await app.client().get(FLEET, {}, { Authorization: `Bearer ${token}` });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    const wrong = await app.client("127.0.0.1").get(FLEET, {}, { Authorization: "Bearer muster_x" });
    expect(wrong.status).toBe(401);
  });

  test("takes no other method", async () => {
    const reply = await (await new TestApp().user()).post(FLEET);
    expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET"]);
  });
});

describe("families", () => {
  test("there is one for every statistic that is a number", () => {
    const numeric = Object.values(STATISTIC).filter(({ unit }) => unit !== "text");
    expect(numeric.filter(({ code }) => !STATISTIC_FAMILIES.has(code))).toEqual([]);
    expect(STATISTIC_FAMILIES.size).toBe(numeric.length);
    expect(new Set(FAMILY_NAMES).size).toBe(FAMILY_NAMES.length);
  });

  test("leave out what an agent does not know, but not what can be negative", () => {
    const read = ({ code }: { code: number }) => STATISTIC_FAMILIES.get(code)?.read(-1);
    const { certificateDays, programStatus, downloadBytes, linkState, portResponse } = STATISTIC;
    expect([certificateDays, programStatus].map(read)).toEqual([-86_400, -1]);
    expect([downloadBytes, linkState, portResponse].map(read)).toEqual([null, null, null]);
  });

  test("names end with the base unit", () => {
    for (const { code, unit } of Object.values(STATISTIC)) {
      const family = STATISTIC_FAMILIES.get(code);
      const suffix = {
        percent: "_ratio",
        kB: "_bytes",
        MB: "_bytes",
        "bytes/s": "_bytes_per_second",
        "bit/s": "_bytes_per_second",
        seconds: "_seconds",
        ms: "_seconds",
        "unix seconds": "_seconds",
        days: "_seconds",
        "packets/s": "_per_second",
        "errors/s": "_per_second",
        "operations/s": "_per_second",
        packets: "_total",
        errors: "_total",
        operations: "_total",
      }[unit as string];
      if (suffix) expect(family?.name).toEndWith(suffix);
      expect([family?.name, family?.kind]).toEqual([
        family?.name,
        family && (family.name.endsWith("_total") ? "counter" : "gauge"),
      ]);
    }
  });

  test("a real message of every service type is well-formed, explained and sorted", async () => {
    await app.report(new Uint8Array(captured("status-of-every-service-type.xml")));
    const before = stored(app);
    const families = await familiesOf(user);
    const names = [...families.keys()];
    expect(names).toEqual([...names].sort());
    expect(names.length).toBeGreaterThan(60);
    for (const [name, { help, type, samples }] of families) {
      expect([name, FAMILY_NAMES.includes(name), help.endsWith("."), samples.size > 0]).toEqual([
        name,
        true,
        true,
        true,
      ]);
      expect(type).toBe(name.endsWith("_total") ? "counter" : "gauge");
    }
    expect(changedTables(app, before)).toEqual([]);
  });
});

describe("numbers", () => {
  test("are in base units", async () => {
    const port =
      "<port><hostname>localhost</hostname><portnumber>80</portnumber><protocol>HTTP</protocol><type>TCP</type>" +
      "<responsetime>0.25</responsetime><certificate><valid>2</valid></certificate></port>";
    const memory = "<memory><percent>12.3</percent><kilobyte>4</kilobyte></memory>";
    const link =
      "<link><state>1</state><speed>1000000000</speed><duplex>-1</duplex>" +
      "<download><bytes><now>5</now><total>700</total></bytes></download></link>";
    const disk =
      "<block><percent>50</percent><usage>1.5</usage><total>3</total></block>" +
      "<servicetime><read>1.5</read></servicetime>";
    await app.report({
      services: [
        { name: "web", type: 3, body: `<pid>7</pid>${memory}${port}` },
        { name: "eth0", type: 8, body: link },
        { name: "root", type: 0, body: disk },
      ],
    });
    const valuesOf = async (family: string) => Object.values(await samplesOf(user, family));
    expect(await valuesOf("muster_process_memory_ratio")).toEqual([0.123]);
    expect(await valuesOf("muster_process_memory_bytes")).toEqual([4096]);
    expect(await valuesOf("muster_process_pid")).toEqual([7]);
    expect(await valuesOf("muster_port_response_seconds")).toEqual([0.25]);
    expect(await valuesOf("muster_certificate_validity_seconds")).toEqual([172_800]);
    expect(await valuesOf("muster_link_speed_bytes_per_second")).toEqual([125_000_000]);
    expect(await valuesOf("muster_link_up")).toEqual([1]);
    expect(await valuesOf("muster_link_download_bytes_total")).toEqual([700]);
    expect(await valuesOf("muster_filesystem_usage_bytes")).toEqual([1_572_864]);
    expect(await valuesOf("muster_filesystem_read_time_seconds")).toEqual([0.0015]);
    // Values that the agent does not know are left out.
    expect(await valuesOf("muster_link_full_duplex")).toEqual([]);
    expect(Object.keys(await samplesOf(user, "muster_port_response_seconds"))).toEqual([
      'host="host-1",hostid="1",service="web",type="Process",descriptor="localhost:80 [HTTP/TCP]"',
    ]);
  });

  test("are those of the newest message, also when it was packed, and go with what it lacks", async () => {
    const usage = (percent: number) =>
      `<block><percent>${percent}</percent><usage>1</usage><total>2</total></block>`;
    const report = (services: { name: string; body: string }[]) =>
      app.report({
        at: app.clock.now(),
        incarnation: START - 3600,
        services: services.map((service) => ({ ...service, type: 0 })),
      });
    await report([
      { name: "root", body: usage(10) },
      { name: "home", body: usage(20) },
    ]);
    app.clock.step(30);
    await report([
      { name: "root", body: usage(30) },
      { name: "home", body: "" },
    ]);
    const expected = { 'host="host-1",hostid="1",service="root",type="Filesystem"': 0.3 };
    expect(await samplesOf(user, "muster_filesystem_usage_ratio")).toEqual(expected);
    app.clock.step(2 * 3600);
    const { db, settings, clock } = app;
    const log = createLog(() => undefined);
    const compaction = new Compaction({ db, settings, clock, log, monotonic: () => 0 });
    while (compaction.step());
    expect(app.rows("select * from samples")).toEqual([]);
    const again = await app.user();
    expect(await samplesOf(again, "muster_filesystem_usage_ratio")).toEqual(expected);
  });
});

describe("hosts, services and events", () => {
  test("a host is up while it reports, and down when it is down or was stopped", async () => {
    await app.report({ services: [system()] });
    await app.report({ id: "agent-2", hostname: "host-2", services: [system("host-2")] });
    await app.report({ id: "agent-2", hostname: "host-2", services: [system("host-2")], event: STOPPED });
    const state = async () => {
      const families = await familiesOf(await app.user());
      const values = (name: string) => [...(families.get(name)?.samples.values() ?? [])];
      return [values("muster_host_up"), values("muster_host_led")];
    };
    expect(await state()).toEqual([
      [1, 0],
      [2, 3],
    ]);
    app.pass(300);
    expect(await state()).toEqual([
      [0, 0],
      [0, 3],
    ]);
    expect(Object.values(await samplesOf(user, "muster_host_last_report_timestamp_seconds"))).toEqual([
      START,
      START,
    ]);
  });

  test("an ignored host is neither up nor down, as nobody watches whether it reports", async () => {
    for (const n of [1, 2, 3]) await app.report({ id: `agent-${n}`, hostname: `host-${n}` });
    await admin.post("/api/1/admin/hosts/bulk/update", { hosts: [2], ignored: true });
    app.pass(300);
    await app.report({ id: "agent-3", hostname: "host-3", at: app.clock.now() });
    expect(await samplesOf(user, "muster_host_up")).toEqual({
      'host="host-1",hostid="1"': 0,
      'host="host-3",hostid="3"': 1,
    });
    expect(await samplesOf(user, "muster_host_led")).toMatchObject({ 'host="host-2",hostid="2"': 3 });
  });

  test("tells agent, platform and groups as labels", async () => {
    const platform = { name: "Linux", release: "6.1", machine: "x86_64" };
    await app.report({ platform, hostGroups: ["rack b", "rack a"] });
    await app.report({ id: "agent-2", hostname: "host-2", platform });
    expect(await samplesOf(user, "muster_host_info")).toEqual({
      'host="host-1",hostid="1",agent="5.33.0",platform="Linux",release="6.1",machine="x86_64"': 1,
      'host="host-2",hostid="2",agent="5.33.0",platform="Linux",release="6.1",machine="x86_64"': 1,
    });
    expect(await samplesOf(user, "muster_host_group")).toEqual({
      'host="host-1",hostid="1",hostgroup="rack a"': 1,
      'host="host-1",hostid="1",hostgroup="rack b"': 1,
      'host="host-2",hostid="2"': 1,
    });
  });

  test("tells tags as labels, and selects hosts by them", async () => {
    for (const n of [1, 2]) await app.report({ id: `agent-${n}`, hostname: `host-${n}` });
    await admin.post("/api/1/admin/tags/add", { tags: ["env=prod", "critical"], hosts: [1] });
    await admin.post("/api/1/admin/tags/add", { tags: ["env=test"], hosts: [2] });
    expect(await samplesOf(user, "muster_host_tag")).toEqual({
      'host="host-1",hostid="1",tag="critical",value=""': 1,
      'host="host-1",hostid="1",tag="env",value="prod"': 1,
      'host="host-2",hostid="2",tag="env",value="test"': 1,
    });
    const up = (await familiesOf(user, { tag: "env=prod" })).get("muster_host_up");
    expect([...(up?.samples.keys() ?? [])]).toEqual(['host="host-1",hostid="1"']);
  });

  test("services fail or not, and are monitored or not", async () => {
    const services = [{ name: "a" }, { name: "b", status: 512 }, { name: "c", status: 512, monitor: 0 }];
    await app.report({ services });
    const byService = async (family: string) => Object.values(await samplesOf(user, family));
    expect(await byService("muster_service_failing")).toEqual([0, 1, 0]);
    expect(await byService("muster_service_monitored")).toEqual([1, 1, 0]);
    expect(await byService("muster_service_led")).toEqual([2, 0, 3]);
    await app.report({ services: [{ name: "a" }] });
    expect(await byService("muster_service_failing")).toEqual([0]);
  });

  test("services exceed limits with a warning or critically, and are left out when they exceed none", async () => {
    const limit = { name: 'Disk "full"', statistics: [18], warning: 80, critical: 90 };
    await admin.post("/api/1/limits/create", limit);
    await admin.post("/api/1/limits/create", {
      name: "Below",
      statistics: [18],
      direction: "below",
      warning: 50,
    });
    const usage = async (...percents: number[]) => {
      for (const [i, percent] of percents.entries()) {
        const body = filesystemXml({ percent });
        const services = [{ name: "rootfs", type: 0, body }, { name: "nginx" }];
        const host = { id: `agent-${i + 1}`, hostname: `host-${i + 1}`, hostGroups: [`group ${i + 1}`] };
        await app.report({ ...host, at: app.clock.now(), services });
      }
      return samplesOf(admin, "muster_service_limit");
    };
    const labels = (host: number, name: string) =>
      `host="host-${host}",hostid="${host}",service="rootfs",type="Filesystem",limit="${name}"`;
    const full = 'Disk \\"full\\"';
    expect(await usage(85, 70, 40)).toEqual({ [labels(1, full)]: 1, [labels(3, "Below")]: 1 });
    expect(await usage(95, 85, 70)).toEqual({ [labels(1, full)]: 2, [labels(2, full)]: 1 });
    const ofTwo = await samplesOf(admin, "muster_service_limit", { host: "host-2", service: "rootfs" });
    expect(ofTwo).toEqual({ [labels(2, full)]: 1 });
    expect(await samplesOf(admin, "muster_service_limit", { service: "nginx" })).toEqual({});
    const { families } = await app.muster.fleetMetrics.read(
      "test",
      { family: ["muster_service_limit"], scope: { groups: [2] } },
      new AbortController().signal,
    );
    expect(families.map(({ values }) => values)).toEqual([[1]]);
    expect(await usage(70, 70, 70)).toEqual({});
  });

  test("counts events from the start on, by state, and never less when some are deleted", async () => {
    await app.report({ services: [{ name: "web", status: 512 }], event: { service: "web" } });
    const counts = () => samplesOf(user, "muster_events_total");
    expect(await counts()).toEqual({ 'state="success"': 0, 'state="error"': 1, 'state="change"': 0 });
    expect(await samplesOf(user, "muster_events_open")).toEqual({ "": 1 });
    app.db.$client.run("delete from events");
    app.recount();
    await app.report({ event: { service: "web", state: 2, collectedSec: START + 1 } });
    expect(await counts()).toEqual({ 'state="success"': 0, 'state="error"': 1, 'state="change"': 1 });
    expect(await samplesOf(user, "muster_events_open")).toEqual({ "": 0 });
  });

  test("errors of an ignored host are not open, as in the list of events", async () => {
    for (const n of [1, 2]) {
      const services = [{ name: "web", status: 512 }];
      await app.report({ id: `agent-${n}`, hostname: `host-${n}`, services, event: { service: "web" } });
    }
    const open = () => samplesOf(user, "muster_events_open");
    expect(await open()).toEqual({ "": 2 });
    await admin.post("/api/1/admin/hosts/bulk/update", { hosts: [2], ignored: true });
    expect(await open()).toEqual({ "": 1 });
    expect((await user.get("/api/1/reports/events/list", { active: 1 })).json.totalRecords).toBe(1);
  });

  test("counts no event that was stored before the start, also when a deleted host comes back", async () => {
    for (const id of ["a", "b"])
      await app.report({
        id,
        hostname: id,
        services: [{ name: "web", status: 512 }],
        event: { service: "web" },
      });
    app.deleteHosts([2]);
    const next = new TestApp({ snapshot: app.snapshot() });
    const counts = async () => samplesOf(await next.user(), "muster_events_total");
    expect(await counts()).toEqual({ 'state="success"': 0, 'state="error"': 0, 'state="change"': 0 });
    next.restoreHosts([2]);
    expect(next.rows("select id from events")).toHaveLength(2);
    expect(await counts()).toEqual({ 'state="success"': 0, 'state="error"': 0, 'state="change"': 0 });
  });

  test("counts the events of a host that is deleted before they are read, and none that was not stored", async () => {
    const event = { service: "web", collectedSec: START, collectedUsec: 5 };
    for (const id of ["a", "b"]) await app.report({ id, hostname: id, event });
    await app.report({ id: "a", hostname: "a", event });
    app.deleteHosts([1]);
    const { eventLog } = app.muster;
    const [{ name_id: nameId }] = app.rows<{ name_id: number }>("select name_id from events") as [
      { name_id: number },
    ];
    expect(() =>
      transaction(app.db, () => {
        const kind = { serviceType: 3, eventType: 512, state: 1, action: 1, message: "" };
        const date = { date: START + 9, collectedSec: START + 9, collectedUsec: 0 };
        eventLog.record({ hostId: 2, nameId, ...kind, ...date }, 0, START + 9);
        throw new Error("the disk is full");
      }),
    ).toThrow("the disk is full");
    expect(await samplesOf(user, "muster_events_total")).toMatchObject({ 'state="error"': 2 });
  });

  test("hosts of the same name are told apart, and hostile names are escaped", async () => {
    const name = 'a"b\\c{d}';
    await app.report({ hostname: name, services: [{ name: 'x"\\y' }] });
    await app.report({ id: "agent-2", hostname: name, services: [{ name: 'x"\\y' }] });
    expect(Object.keys(await samplesOf(user, "muster_service_failing"))).toEqual(
      [1, 2].map((id) => `host="a\\"b\\\\c{d}",hostid="${id}",service="x\\"\\\\y",type="Process"`),
    );
    expect(await samplesOf(user, "muster_host_up", { host: name })).toEqual({
      'host="a\\"b\\\\c{d}",hostid="1"': 1,
      'host="a\\"b\\\\c{d}",hostid="2"': 1,
    });
  });
});
