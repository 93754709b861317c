/** Changes of more objects than one step takes. */
import { expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal, stored } from "../../support/stored.ts";

const ALL = 120;
/** Objects of a step. */
const STEP = 50;
const IDS = Array.from({ length: ALL }, (_, i) => i + 1);

interface Case {
  /** The argument with the ids. */
  of: "hosts" | "hostid" | "id";
  others?: Fields;
  /** Makes the objects as the change needs them. */
  prepare?: () => Promise<unknown>;
  /** The ids of the objects that are changed. */
  changed: string;
  /** The reply to a change of so many. */
  reply: (count: number) => object;
  /** What an id of no object is refused with. */
  unknown: [status: number, code: string];
  /** Changes the last object so that it is skipped. */
  spoil: string;
}

const post = (path: string, fields: Fields) => admin.post(`/api/1/${path}`, fields);
const NO_HOST = "delete from hosts where id = 120";
const NO_EVENT = "delete from events where id = 120";
const acknowledged = "select event_id as id from acknowledgements where ended_at is null order by 1";

/** Hosts and events 1 to 120, each event the active error of its host. Group 1 "rack". */
const CASES: Readonly<Record<string, Case>> = {
  "admin/tags/add": {
    of: "hosts",
    others: { tags: ["seen"] },
    changed: "select host_id as id from host_tags where name = 'seen' order by 1",
    reply: (added) => ({ added }),
    unknown: [400, "argument.invalid"],
    spoil: NO_HOST,
  },
  "admin/tags/remove": {
    of: "hosts",
    others: { tags: ["old"] },
    prepare: () => post("admin/tags/add", { hosts: IDS, tags: ["old"] }),
    changed: "select id from hosts where id not in (select host_id from host_tags) order by 1",
    reply: (removed) => ({ removed }),
    unknown: [400, "argument.invalid"],
    spoil: NO_HOST,
  },
  "admin/groups/add": {
    of: "hostid",
    others: { id: 1 },
    changed: "select host_id as id from host_group_members order by 1",
    reply: (added) => ({ added }),
    unknown: [404, "object.unknown"],
    spoil: NO_HOST,
  },
  "admin/groups/remove": {
    of: "hostid",
    others: { id: 1 },
    prepare: () => post("admin/groups/add", { id: 1, hostid: IDS }),
    changed: "select id from hosts where id not in (select host_id from host_group_members) order by 1",
    reply: (removed) => ({ removed }),
    unknown: [404, "object.unknown"],
    spoil: NO_HOST,
  },
  "problems/acknowledge": {
    of: "id",
    others: { note: "a new disk" },
    changed: acknowledged,
    reply: () => ({}),
    unknown: [404, "object.unknown"],
    spoil: "update events set active = false where id = 120",
  },
  "problems/unacknowledge": {
    of: "id",
    prepare: () => post("problems/acknowledge", { id: IDS }),
    changed: "select event_id as id from acknowledgements where ended_at is not null order by 1",
    reply: () => ({}),
    unknown: [404, "object.unknown"],
    spoil: NO_EVENT,
  },
  "reports/events/dismiss": {
    of: "id",
    changed: "select id from events where dismissed = true order by 1",
    reply: () => ({}),
    unknown: [404, "object.unknown"],
    spoil: "update events set active = false where id = 120",
  },
  "reports/events/undismiss": {
    of: "id",
    prepare: () => post("reports/events/dismiss", { id: IDS }),
    changed: "select id from events where dismissed = false order by 1",
    reply: () => ({}),
    unknown: [404, "object.unknown"],
    spoil: NO_EVENT,
  },
};

appOfEachTest(async () => {
  for (const n of IDS)
    await app.report({
      id: `a-${n}`,
      hostname: `host-${n}`,
      services: [{ name: "web", type: 3, status: 512 }],
      event: { service: "web" },
    });
  await admin.post("/api/1/admin/groups/create", { name: "rack" });
});

const idsOf = (sql: string) => app.rows<{ id: number }>(sql).map(({ id }) => id);

/** The objects that each entry of the audit log about an operation names, oldest first. */
function recorded(path: string, of: Case["of"]): number[][] {
  const name = of === "id" ? "id" : "hosts";
  const rows = app.rows<{ details: string }>(
    `select details from audit where operation = '${path}' order by id`,
  );
  return rows.map(({ details }) => JSON.parse(details)[name]);
}

/**
 * Calls an operation, and looks whenever the event loop comes round.
 * @param look takes the ids of the objects that are changed by then
 */
async function watching(
  path: string,
  { changed, others }: Case,
  fields: Fields,
  look: (ids: number[]) => void,
) {
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    look(idsOf(changed));
    setImmediate(watch);
  };
  setImmediate(watch);
  const reply = await post(path, { ...others, ...fields });
  isOver = true;
  return reply;
}

for (const [path, each] of Object.entries(CASES)) {
  const { of, others, prepare, changed, reply, unknown, spoil } = each;

  test(`${path} of many is written in steps, each with its audit entry, and others write in between`, async () => {
    await prepare?.();
    const seen = new Set<number>();
    const { status, json } = await watching(path, each, { [of]: IDS }, (ids) => {
      // Nobody can begin a transaction while another is open.
      if (!seen.has(ids.length)) app.muster.groups.create(`between ${ids.length}`);
      seen.add(ids.length);
    });
    expect([status, json]).toEqual([200, reply(ALL)]);
    expect([...seen]).toEqual(expect.arrayContaining([0, STEP, 2 * STEP]));
    expect([...seen].every((count) => count % STEP === 0 || count === ALL)).toBe(true);
    expect(idsOf(changed)).toEqual(IDS);
    const entries = recorded(path, of);
    expect(entries.map((ids) => ids.length)).toEqual([STEP, STEP, ALL - 2 * STEP]);
    expect(entries.flat()).toEqual(IDS);
  });

  test(`${path} of as many as one step takes is one transaction with one audit entry`, async () => {
    await prepare?.();
    const seen = new Set<number>();
    const some = IDS.slice(0, STEP);
    const { status, json } = await watching(path, each, { [of]: some }, (ids) => seen.add(ids.length));
    expect([status, json]).toEqual([200, reply(STEP)]);
    for (const count of seen) expect([0, STEP]).toContain(count);
    expect(idsOf(changed)).toEqual(some);
    expect(recorded(path, of)).toEqual([some]);
  });

  test(`${path} of many of which the last is wrong changes nothing`, async () => {
    await prepare?.();
    const wrong = { ...others, [of]: [...IDS, 999] };
    await expectRefusal(app, () => post(path, wrong), ...unknown);
    expect(recorded(path, of)).toEqual([]);
  });

  test(`${path} skips what is no longer there, or right, when its step comes`, async () => {
    await prepare?.();
    let isSpoilt = false;
    const { status, json } = await watching(path, each, { [of]: IDS }, (ids) => {
      if (ids.length === STEP && !isSpoilt) app.db.$client.run(spoil);
      isSpoilt ||= ids.length === STEP;
    });
    expect(isSpoilt).toBe(true);
    expect([status, json]).toEqual([200, reply(ALL - 1)]);
    expect(idsOf(changed)).toEqual(IDS.slice(0, -1));
    expect(recorded(path, of).flat()).toEqual(IDS.slice(0, -1));
  });
}

test("many tags are written in steps of fewer hosts", async () => {
  const tags = Array.from({ length: 50 }, (_, i) => `n=${i}`);
  expect((await post("admin/tags/add", { hosts: IDS, tags })).json).toEqual({ added: 50 * ALL });
  expect(new Set(recorded("admin/tags/add", "hosts").map((ids) => ids.length))).toEqual(new Set([10]));
});

test("a host in the last step that would have too many tags refuses all", async () => {
  const tags = Array.from({ length: 50 }, (_, i) => `n=${i}`);
  await post("admin/tags/add", { hosts: [ALL], tags });
  const one = { hosts: IDS, tags: ["more"] };
  await expectRefusal(app, () => post("admin/tags/add", one), 409, "tags.many");
});

test("an event in the last step that is over refuses all", async () => {
  app.db.$client.run("update events set active = false where id = 120");
  for (const path of ["problems/acknowledge", "reports/events/dismiss"])
    await expectRefusal(app, () => post(path, { id: IDS }), 400, "argument.invalid");
});

test("an event in the last step of a host that the caller may only see refuses all", async () => {
  await post("admin/groups/create", { name: "seen" });
  await post("admin/groups/add", { id: 1, hostid: IDS.slice(0, -1) });
  await post("admin/groups/add", { id: 2, hostid: [ALL] });
  await post("admin/grants/set", { uname: "user", restricted: true, operate: 1, view: 2 });
  for (const path of Object.keys(CASES).filter((name) => CASES[name]?.of === "id"))
    await expectRefusal(app, () => user.post(`/api/1/${path}`, { id: IDS }), 403, "role.level");
});

test("a step that fails is undone with its audit entry, and those before it stay", async () => {
  const forget = app.hostCache.forget.bind(app.hostCache);
  app.hostCache.forget = (id) => {
    if (id === STEP + 10) throw new Error("a fault");
    forget(id);
  };
  for (const path of ["admin/tags/add", "admin/groups/add"]) {
    const { of, others, changed } = CASES[path] as Case;
    expect((await post(path, { ...others, [of]: IDS })).status).toBe(500);
    expect(idsOf(changed)).toEqual(IDS.slice(0, STEP));
    expect(recorded(path, of)).toEqual([IDS.slice(0, STEP)]);
  }
  const before = stored(app);
  expect((await post("admin/tags/remove", { hosts: [1, STEP + 10], tags: ["seen"] })).status).toBe(500);
  expect(stored(app)).toEqual(before);
});
