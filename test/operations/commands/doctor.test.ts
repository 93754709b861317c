import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { COMMAND_LINE } from "../../../src/accounts/audit/actor.ts";
import { deleteEvents } from "../../../src/monitoring/events/event-deletion.repository.ts";
import { isReadable } from "../../../src/monitoring/hosts/stored-rows.repository.ts";
import { examine, repair } from "../../../src/operations/doctor/doctor.ts";
import { openServiceDatabase } from "../../../src/operations/nodes/open-service-database.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { createLog } from "../../../src/platform/log.ts";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { HistoryFixture } from "../../monitoring/history/history-fixture.ts";
import { fileDatabaseOf } from "../../platform/storage/releases/release.ts";
import { processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { raiseEventDays } from "../raised-days.ts";
import { CommandFolder, rowsOf } from "./support.ts";

const GONE = 512;

/** Hosts with failures that ended by event and silently, with one that is open, and with one that is silent. */
async function history(): Promise<TestApp> {
  const app = new TestApp();
  const limit = {
    name: "CPU",
    statistics: [8],
    filter: { servicenames: ["web"], hostnames: ["a.*"] },
    warning: 40,
  };
  await (await app.admin()).post("/api/1/limits/create", limit);
  const report = async (status: number, event: number | null, hostname = "a.example.org") => {
    const services = [
      { name: "app", status },
      { name: "web", body: processXml({ cpu: 50 }) },
      { name: "off", monitor: 0 },
    ];
    const sent = await app.report({
      id: hostname,
      hostname,
      at: app.clock.now(),
      incarnation: START - 3600,
      poll: 30,
      services,
      event: event === null ? null : { service: "app", id: GONE, state: event },
    });
    expect(sent.status).toBe(200);
    app.pass(30);
  };
  await report(GONE, 1);
  await report(0, 0);
  await report(GONE, 1);
  for (let i = 0; i < 5; i++) await report(0, null);
  await report(GONE, 1);
  await report(GONE, 1);
  await report(0, null, "b.example.org");
  for (let i = 0; i < 6; i++) await report(GONE, null);
  return app;
}

const keptSince = (app: TestApp) => app.clock.now() - 1095 * 86_400;

test("what the service itself wrote is sound", async () => {
  const app = await history();
  expect(examine(app.db, keptSince(app))).toEqual([]);
});

test("what is left after the oldest events are past their time is sound", async () => {
  const app = await history();
  const events = app.rows<{ date: number }>("select date from events where active = false order by date");
  for (const { date } of events) {
    deleteEvents(app.db, date + 1, 100);
    expect({ date, found: examine(app.db, date + 1).map((finding) => finding.sentence) }).toEqual({
      date,
      found: [],
    });
  }
});

test("an expired event that is kept because someone is still to be notified of it belongs to no later failure", async () => {
  const app = await history();
  const events = app.rows<{ id: number; date: number }>(
    "select id, date from events where active = false order by date",
  );
  const first = events[0]?.id ?? 0;
  for (const { date } of events) {
    deleteEvents(app.db, date + 1, 100, sql`id = ${first}`);
    expect({ date, found: examine(app.db, date + 1).map((finding) => finding.sentence) }).toEqual({
      date,
      found: [],
    });
  }
});

test("failures whose events are partly deleted are sound, also after events are kept for more days", async () => {
  const app = new TestApp();
  await raiseEventDays(app);
  expect(app.rows("select date from events where state = 1")).toEqual([
    { date: START },
    { date: START + 2 * 86_400 },
  ]);
  using folder = new CommandFolder().fill(app);
  expect(await folder.run("doctor")).toMatchObject({ code: 0, out: [expect.stringContaining("is sound")] });
});

const APP = "(select id from names where name = 'app')";

/** Each fault, and the finding that explains it. */
const FAULTS: readonly [fault: string, sql: string, said: string][] = [
  [
    "a service that passes a limit and does not say so",
    "update services set limit_level = 0 where limit_level = 1",
    "Service web on a.example.org exceeds other limits than are stored with it",
  ],
  [
    "a service that says it passes a limit that is not there",
    `update services set limit_level = 2 where name_id = ${APP}`,
    "Service app on a.example.org exceeds other limits than are stored with it",
  ],
  [
    "a failure of a limit of which the limit does not know",
    "delete from limit_states",
    "web on a.example.org exceeds limit 1, but the state of the limit says otherwise",
  ],
  [
    "a limit whose state has another level than its failure",
    "update limit_states set level = 2",
    "web on a.example.org exceeds limit 1, but the state of the limit says otherwise",
  ],
  [
    "a state of a limit without a failure",
    `insert into limit_states (limit_id, host_id, name_id, level, service_type) select 1, 1, id, 1, 3 from names where name = 'app'`,
    "Limit 1 says that app on a.example.org exceeds it, but no failure is open",
  ],
  [
    "a downtime that is missing",
    `delete from downtime_intervals where name_id = ${APP} and ended_at is null`,
    "The downtimes of app on a.example.org (Nonexist)",
  ],
  [
    "a downtime that ended too late",
    `update downtime_intervals set ended_at = ended_at + 5 where ended_at is not null and name_id = ${APP}`,
    "The downtimes of app on a.example.org",
  ],
  [
    "a downtime that should have ended",
    "update downtime_intervals set ended_at = null where started_at = (select min(started_at) from downtime_intervals)",
    "The downtimes of app on a.example.org",
  ],
  [
    "a downtime that nothing tells of",
    `insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at)
     select host_id, name_id, event_type, ended_at + 1, ended_at + 2 from downtime_intervals where ended_at is not null limit 1`,
    "The downtimes of app on a.example.org",
  ],
  [
    "an open failure that is not marked",
    "update events set active = false",
    "is failing, but its newest error is not",
  ],
  [
    "a mark on an error that is over",
    "update events set active = true where id = (select min(id) from events)",
    "that is marked as open",
  ],
  ["a host's wrong count of events", "update hosts set events = events + 1", "Host a.example.org counts"],
  [
    "a service's wrong count of events",
    "update services set events = 99",
    "Service web on b.example.org counts 99",
  ],
  ["a wrong count of events", "update event_counts set n = n + 1", "counts of events"],
  ["a count of events that is missing", "delete from event_counts where state = 1", "counts of events"],
  [
    "a count of events that are not there",
    "insert into event_name_counts (group_id, name_id, n) values (9, 9, 9)",
    "1 count of events is wrong.",
  ],
  [
    "a change of groups that was none",
    "insert into group_count_changes (host_id, group_id, sign) values (1, 9, 1)",
    "1 count of events is wrong.",
  ],
  [
    "a host that is sorted by another name",
    "update hosts set hostname_key = 'x' where id = 1",
    "1 name of hosts has a wrong sort key.",
  ],
  [
    "an expected host that is found by another name",
    `insert into expected_hosts (hostname, hostname_key, hostgroups, tags, skew, "within", created)
     values ('Web9', 'Web9', '[]', '[]', 3, '[]', 1)`,
    "1 name of expected hosts has a wrong sort key.",
  ],
  [
    "a service name that is sorted by nothing",
    "update names set name_key = ''",
    "names of services have wrong sort keys",
  ],
  ["a wrong count of hosts", "update host_counts set n = n - 1", "counts of hosts"],
  [
    "a service's wrong LED",
    "update services set led = 3",
    "Service web on a.example.org shows the wrong LED",
  ],
  [
    "a host's wrong LED",
    "update hosts set led = 2, status_text = 'x'",
    "Host a.example.org shows the wrong state",
  ],
  [
    "a host's wrong number of services",
    "update hosts set services_ok = 7",
    "Host b.example.org shows the wrong state",
  ],
];

describe("muster doctor", () => {
  for (const [fault, sql, said] of FAULTS)
    test(`finds ${fault}, and puts back what was there`, async () => {
      const app = await history();
      const derived = () => [
        app.rows(
          "select host_id, name_id, event_type, started_at, ended_at from downtime_intervals order by 1, 2, 3, 4",
        ),
        app.rows("select id, active from events order by id"),
        app.rows("select id, led, events from services order by id"),
        app.rows("select id, led, events, services_total, services_ok from hosts order by id"),
        app.rows(
          "select limit_id, host_id, name_id, level, opened_at, error_at, service_type from limit_states",
        ),
        app.rows("select * from event_counts"),
        app.rows("select * from host_counts where n <> 0"),
      ];
      const before = derived();
      app.db.$client.run(sql);
      const findings = examine(app.db, keptSince(app));
      expect(findings.map((finding) => finding.sentence).join("\n")).toContain(said);
      expect(repair(app.db, findings)).toHaveLength(findings.length);
      expect(examine(app.db, keptSince(app))).toEqual([]);
      expect(derived()).toEqual(before);
    });

  test("changes nothing without --repair, and exits with 1 while there is something", async () => {
    const app = await history();
    app.db.$client.run("update hosts set events = 7");
    using folder = new CommandFolder().fill(app);
    const before = rowsOf(folder);
    const { code, out } = await folder.run("doctor");
    expect(code).toBe(1);
    expect(out).toEqual([
      expect.stringContaining("Host a.example.org counts 7 events"),
      expect.stringContaining("Host b.example.org counts 7 events"),
      expect.stringContaining("2 findings; 2 of them"),
    ]);
    expect(rowsOf(folder)).toEqual(before);
  });

  test("prints a name in one line, without what commands the terminal", async () => {
    const app = await history();
    app.db.$client.run("update hosts set events = 7, hostname = char(27) || '[2Ja' || char(10) || 'b'");
    using folder = new CommandFolder().fill(app);
    const { out } = await folder.run("doctor");
    expect(out.filter((line) => line.startsWith("Host  [2Ja b counts 7 events"))).toHaveLength(2);
    expect(out.join("")).not.toContain("\u001b");
  });

  test("repairs after a copy was made, and is then content", async () => {
    const app = await history();
    app.db.$client.run("update hosts set events = 7");
    using folder = new CommandFolder().fill(app);
    const broken = rowsOf(folder);
    const { code, out } = await folder.run("doctor --repair");
    expect({ code, last: out.at(-1) }).toEqual({ code: 0, last: "2 findings repaired, 0 left" });
    const [copy = ""] = readdirSync(folder.folder.backups);
    expect(copy).toStartWith("before-repair-");
    expect(rowsOf(folder, `${folder.folder.backups}/${copy}`)).toEqual(broken);
    expect(await folder.run("doctor")).toMatchObject({ code: 0 });
  });

  test("examines beside a running server, but does not repair then", async () => {
    const app = await history();
    using folder = new CommandFolder().fill(app);
    const lock = lockFolder(folder.folder);
    expect(await folder.run("doctor")).toMatchObject({ code: 0 });
    folder.query("update hosts set events = 7 returning id");
    const before = rowsOf(folder);
    expect(await folder.run("doctor --repair")).toMatchObject({
      code: 1,
      err: [expect.stringContaining("another Muster is running")],
    });
    expect(rowsOf(folder)).toEqual(before);
    lock.close();
  });

  test("does with rows that refer to missing ones what the deletion should have done, and what follows from it", async () => {
    const app = await history();
    const admin = await app.admin();
    await admin.post("/api/1/admin/groups/create", { name: "Web" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
    app.db.$client.run("pragma foreign_keys = off");
    for (const sql of [
      "insert into dependencies (host_id, cause_host_id) values (98, 99)",
      `insert into deliveries (channel_id, rule_name, channel_name, kind, created_at, status)
       values (99, 'r', 'c', 'problem', 0, 'sent')`,
      "delete from host_groups",
    ])
      app.db.$client.run(sql);
    using folder = new CommandFolder().fill(app);
    expect((await folder.run("doctor")).out).toEqual([
      "1 row refers to missing rows (deliveries to channels). muster doctor --repair removes this reference.",
      "1 row refers to missing rows (dependencies to hosts). muster doctor --repair deletes it.",
      "1 row refers to missing rows (host_group_members to host_groups). muster doctor --repair deletes it.",
      "3 findings; 3 of them can be repaired with muster doctor --repair",
    ]);
    const { code, out } = await folder.run("doctor --repair");
    // Counts of the group's events are wrong only after its members were deleted.
    expect({ code, last: out.at(-1) }).toEqual({ code: 0, last: "4 findings repaired, 0 left" });
    expect(folder.query("select channel_id as channel from deliveries")).toEqual([{ channel: null }]);
    expect(folder.query("pragma foreign_key_check")).toEqual([]);
    expect(folder.query("select id from hosts")).toHaveLength(2);
  });

  test("says that rows point nowhere, which it cannot put right", async () => {
    const app = await history();
    app.db.$client.run("pragma foreign_keys = off");
    app.db.$client.run("update services set name_id = 999 where id = 3");
    using folder = new CommandFolder().fill(app);
    const { code, out } = await folder.run("doctor --repair");
    expect(code).toBe(1);
    expect(out.join("\n")).toContain("1 row refers to missing rows (services to names). Restore a backup");
  });

  test("names a setting that does not open or is not allowed, which keeps Muster from starting, and resets it", async () => {
    const app = await history();
    app.settings.set("mailpassword", "of the mail server");
    app.settings.set("eventdays", 100);
    using folder = new CommandFolder().fill(app);
    for (const [name, value, said] of [
      ["mailpassword", "v1.AAAA", "does not open with secret.key"],
      ["eventdays", "-1", "has a value that this version does not allow"],
      ["timezone", "Mars/Base", "has a value that this version does not allow"],
    ] as const) {
      folder.query(
        `insert into settings (key, value) values ('${name}', '${value}') on conflict (key) do update set value = excluded.value`,
      );
      expect((await folder.run("agent-config")).err).toEqual([
        `the setting ${name} ${said}: muster doctor says what can be done`,
      ]);
      const found = await folder.run("doctor");
      expect({ code: found.code, err: found.err }).toEqual({ code: 1, err: [] });
      expect(found.out[0]).toStartWith(`The setting ${name} ${said}, so that Muster does not start.`);
      const { code, out } = await folder.run("doctor --repair");
      expect({ code, last: out.at(-1) }).toEqual({ code: 0, last: "1 finding repaired, 0 left" });
      expect((await folder.run("agent-config")).code).toBe(0);
    }
  });

  test("does not reset a setting that only Muster itself can set", async () => {
    using folder = new CommandFolder().fill(await history());
    folder.query(
      "insert into settings (key, value) values ('rolledthrough', '-1') on conflict (key) do update set value = '-1'",
    );
    const { code, out } = await folder.run("doctor --repair");
    expect({ code, out }).toEqual({
      code: 1,
      out: [
        "The setting rolledthrough has a value that this version does not allow, so that Muster does not start. Restore a backup.",
        expect.stringContaining("1 finding; 0 of them"),
      ],
    });
  });

  test("says that the file is damaged, and does not touch it", async () => {
    using folder = new CommandFolder().fill(await history());
    const bytes = readFileSync(folder.folder.database);
    // A page in the middle of the events' table.
    const [{ page = 0 } = {}] = folder.query<{ page: number }>(
      "select rootpage as page from sqlite_schema where name = 'samples'",
    );
    const spoiled = Buffer.from(bytes).fill(0xaa, (page - 1) * 4096, page * 4096);
    writeFileSync(folder.folder.database, spoiled);
    const { code, out } = await folder.run("doctor --repair");
    expect(code).toBe(1);
    expect(out.join("\n")).toContain("The file is damaged");
    expect(readdirSync(folder.folder.path)).not.toContain("backups");
  });
});

test("past values that changed on the disk are found by their checksum, and deleted by the repair", async () => {
  const fixture = new HistoryFixture();
  for (const name of ["changed", "sound"]) {
    const id = await fixture.addHost(name);
    for (let i = 0; i < 8; i++) fixture.addSample(id, START + i * 400, [1], Float64Array.of(i * id * 0.37));
  }
  fixture.app.clock.step(3660);
  fixture.pack();
  using folder = new CommandFolder().fill(fixture.app);
  const blocks = "select host_id, resolution, start, payload from history_blocks";
  const before = folder.query<{ payload: Uint8Array }>(blocks);
  // SQLite finds nothing wrong with a value that has another byte.
  const file = readFileSync(folder.folder.database);
  const at = file.indexOf(before[0]?.payload ?? "") + 20;
  file.writeUInt8(file.readUInt8(at) ^ 0x10, at);
  writeFileSync(folder.folder.database, file);
  expect(await folder.run("doctor")).toMatchObject({
    code: 1,
    out: [
      "1 block of past values of changed is damaged. Restore a backup, or let muster doctor --repair delete it.",
      "1 finding; 1 of them can be repaired with muster doctor --repair",
    ],
  });
  expect((await folder.run("doctor --repair")).code).toBe(0);
  expect(folder.query(blocks)).toEqual(before.slice(1));
  expect((await folder.run("doctor")).code).toBe(0);
});

test.each([
  ["are more than those of its statistics", [1, 40, 48, 8, 16]],
  ["end within a number", [1, 40, 128]],
])("a sample whose values %s is found, and deleted so that its host is packed again", async (_, bytes) => {
  const fixture = new HistoryFixture();
  const id = await fixture.addHost("changed");
  for (let i = 0; i < 3; i++) fixture.addSample(id, START + i, [1, 2, 3], Float64Array.of(i, 2 * i, 3 * i));
  const { app } = fixture;
  app.db.$client.query('update samples set "values" = ? where at = ?').run(Buffer.from(bytes), START + 1);
  app.clock.step(3660);
  fixture.pack();
  expect(app.rows("select start from history_blocks")).toEqual([]);
  const found = examine(app.db, keptSince(app));
  expect(found.map(({ sentence }) => sentence)).toEqual([
    "1 sample of past values of changed is damaged. Restore a backup, or let muster doctor --repair delete it.",
  ]);
  repair(app.db, found);
  expect(examine(app.db, keptSince(app))).toEqual([]);
  fixture.pack();
  expect(fixture.blocks(id, 0).flatMap(({ rows }) => rows.map(({ at }) => at))).toEqual([START, START + 2]);
});

/** The packed rows of the host 1 in a table, and how to store others in their place. */
function packedRows(app: TestApp, source: string) {
  const where = `where host_id = 1 and source = '${source}'`;
  const [row] = app.rows<{ payload: Uint8Array }>(`select payload from deleted_host_rows ${where}`);
  const store = (payload: Uint8Array) =>
    app.db.$client.query(`update deleted_host_rows set payload = ? ${where}`).run(payload);
  return { payload: row?.payload ?? new Uint8Array(), store };
}

function withOtherBit(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
  return changed;
}

test("rows of a deleted host that changed on the disk are found, and deleted so that it is restored", async () => {
  const app = await history();
  app.deleteHosts([1]);
  expect(examine(app.db, keptSince(app))).toEqual([]);
  const { payload, store } = packedRows(app, "services");
  const changed = [...payload.keys()].map((at) => withOtherBit(payload, at));
  const content = Bun.zstdDecompressSync(payload);
  // A few bits of the compressed form mean nothing.
  for (const other of changed.filter(isReadable)) expect(Bun.zstdDecompressSync(other)).toEqual(content);
  app.muster.deletedHosts.beginRestoration([1], COMMAND_LINE);
  store(withOtherBit(payload, payload.length >> 1));
  expect(() => app.muster.deletedHosts.step()).toThrow();
  const found = examine(app.db, keptSince(app)).filter(({ sentence }) => sentence.includes("deleted host"));
  expect(found.map(({ sentence }) => sentence)).toEqual([
    "1 block of rows of the deleted host a.example.org is damaged, so that it cannot be restored. Restore a backup, or let muster doctor --repair delete it.",
  ]);
  repair(app.db, found);
  // A host that failed is passed over once.
  app.muster.deletedHosts.step();
  while (app.muster.deletedHosts.step());
  expect(app.rows("select * from deleted_hosts")).toEqual([]);
  expect((await app.report({ id: "a.example.org" })).status).toBe(200);
});

test("a deleted host whose own row is damaged can only be deleted for good", async () => {
  const app = await history();
  app.deleteHosts([1]);
  const { payload, store } = packedRows(app, "hosts");
  store(payload.subarray(1));
  expect(examine(app.db, keptSince(app))).toMatchObject([
    { sentence: expect.stringContaining("or delete it for good"), repair: null },
  ]);
});

test("each problem of the file is one line", async () => {
  using folder = new CommandFolder().fill(await history());
  // The number of free pages, in the header.
  const bytes = readFileSync(folder.folder.database);
  bytes.writeUInt32BE(7, 36);
  writeFileSync(folder.folder.database, bytes);
  const problem = "Freelist: size is 0 but should be 7";
  const { out } = await folder.run("doctor");
  expect(out[0]).toBe(`The file is damaged: ${problem}. Restore a backup (muster restore).`);
});

test("users who vanished from a rotation are found, and are taken out of it", async () => {
  const app = new TestApp();
  const rotation = {
    name: "",
    users: ["admin"],
    start: "2026-01-01",
    handover: "09:00",
    unit: "day" as const,
    every: 1,
    hours: null,
  };
  app.muster.onCall.create({
    name: "Office",
    timezone: "UTC",
    rotations: [rotation],
    noticeminutes: 0,
    handovernotice: false,
  });
  expect(examine(app.db, keptSince(app))).toEqual([]);
  app.db.$client.run("update on_call_schedules set rotations = replace(rotations, '[1]', '[1,99]')");
  const [finding] = examine(app.db, keptSince(app));
  expect(finding?.sentence).toContain('The schedule "Office" has users who do not exist');
  repair(app.db, finding ? [finding] : []);
  expect(app.muster.onCall.content(1).rotations[0]?.users).toEqual(["admin"]);
  expect(app.rows("select rotations from on_call_schedules")).not.toEqual([]);
  expect(examine(app.db, keptSince(app))).toEqual([]);
});

/** Opens the database as a service does at its start. @returns what it logged */
async function startedOn({ folder }: CommandFolder): Promise<string[]> {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const config = readConfig(new Map(), {});
  const { signal } = new AbortController();
  const opened = await openServiceDatabase(folder, { config, log, stop: signal });
  opened?.close();
  return lines;
}

describe("a database of an earlier version", () => {
  /** One that 1.0.0 stored. */
  function older() {
    const folder = new CommandFolder().fill();
    writeFileSync(folder.folder.database, fileDatabaseOf("1.0.0"));
    return folder;
  }

  test("is checked as far as its schema allows, and is not upgraded", async () => {
    using folder = older();
    const before = rowsOf(folder);
    expect(await folder.run("doctor")).toEqual({
      code: 0,
      out: [
        `${folder.folder.database} is from an earlier version, and sound: file, references. ` +
          "The rest can be checked when muster serve has upgraded it",
      ],
      err: [],
    });
    expect(rowsOf(folder)).toEqual(before);
  });

  test("with rows that refer to missing ones is upgraded, and after that the repair deletes them", async () => {
    using folder = older();
    folder.query("update dependencies set host_id = 98, cause_host_id = 99");
    folder.query("delete from rules");
    folder.query("delete from host_groups");
    const before = await folder.run("doctor --repair");
    expect(before).toMatchObject({
      code: 1,
      out: expect.arrayContaining([
        "1 row refers to missing rows (dependencies to hosts).",
        "2 rows refer to missing rows (deliveries to rules).",
        `${folder.folder.database} is from an earlier version. muster serve upgrades it with these rows, ` +
          "and muster doctor --repair then deletes those that belong to what is missing",
      ]),
    });

    expect(await startedOn(folder)).toEqual([
      expect.stringMatching(/^info the database is being copied/),
      expect.stringMatching(/^info the database is being migrated/),
      expect.stringMatching(
        /^warn rows refer to missing ones, as before the migration: muster doctor finds them, and muster doctor --repair .* tables=.*deliveries to rules \(2\), dependencies to hosts \(1\), /,
      ),
    ]);
    expect((await folder.run("doctor")).out).toEqual(
      expect.arrayContaining([
        "1 row refers to missing rows (dependencies to hosts). muster doctor --repair deletes it.",
        "2 rows refer to missing rows (deliveries to rules). muster doctor --repair removes these references.",
      ]),
    );

    const { code, out } = await folder.run("doctor --repair");
    expect({ code, last: out.at(-1) }).toEqual({
      code: 0,
      last: expect.stringMatching(/^\d+ findings repaired, 0 left$/),
    });
    expect(folder.query("pragma foreign_key_check")).toEqual([]);
    expect(folder.query("select rule_id as rule from deliveries")).toEqual([{ rule: null }, { rule: null }]);
    expect(folder.query("select * from dependencies")).toEqual([]);
  });

  test("that shows checks between their turns as orange is sound once it is upgraded", async () => {
    using folder = older();
    folder.query("update services set monitor_state = 5, led = 1 where led = 2");
    folder.query("update hosts set services_ok = 0, led = case led when 2 then 1 else led end");
    folder.query(
      "update hosts set status_text = '0 out of ' || services_total || ' services are available' where not stopped",
    );
    folder.query("delete from host_counts");
    folder.query(
      "insert into host_counts select status, stopped, heartbeat, led, count(*) from hosts group by 1, 2, 3, 4",
    );
    await startedOn(folder);
    expect(await folder.run("doctor")).toMatchObject({ code: 0, err: [] });
    expect(folder.query("select led, services_ok as ok, status_text as text from hosts order by id")).toEqual(
      [
        { led: 1, ok: 3, text: "3 out of 4 services are available" },
        { led: 3, ok: 1, text: "Stopped" },
        { led: 2, ok: 1, text: "All 1 services are available" },
      ],
    );
  });

  test("with damage is said to be so", async () => {
    using folder = older();
    const last = `${folder.folder.database} is from an earlier version, and cannot be upgraded with these findings`;
    const [{ page } = { page: 0 }] = folder.query<{ page: number }>(
      "select rootpage as page from sqlite_schema where name = 'events'",
    );
    const [{ page_size: size } = { page_size: 0 }] = folder.query<{ page_size: number }>("pragma page_size");
    folder.query("pragma journal_mode = delete");
    const bytes = readFileSync(folder.folder.database);
    bytes.fill(0xff, (page - 1) * size, page * size);
    writeFileSync(folder.folder.database, bytes);
    expect(await folder.run("doctor")).toMatchObject({
      code: 1,
      out: expect.arrayContaining([expect.stringContaining("The file is damaged: "), last]),
    });
  });
});
