import { beforeEach, describe, expect, test } from "bun:test";
import {
  excessRevisionsSweep,
  MAX_REVISIONS_OF_HOST,
  MAX_REVISIONS_OF_OBJECT,
  pastObjects,
  recordedSince,
  revisionsAfter,
} from "../../../src/monitoring/moment/revisions.repository.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { type Revision, recordRevision } from "../../../src/platform/storage/revisions.repository.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

const DAY = 86_400;

/** Hosts 1 and 2. */
freshAppOfEachTest();
beforeEach(async () => {
  await app.report({ id: "a", hostname: "shop" });
  await app.report({ id: "b", hostname: "gate" });
});

const record = (...revisions: readonly Revision[]) =>
  transaction(app.db, () => {
    for (const revision of revisions) recordRevision(app.db, revision);
  });
const ofHost = (until: number, content: Revision["content"], host = 1): Revision => ({
  ...{ kind: "hosts", hostId: host, objectId: host, until, content },
});
const rows = () => app.rows<{ n: number }>("select count(*) as n from revisions")[0]?.n ?? 0;

describe("what changes after a moment replaced", () => {
  test("is, for each column, what the first of them replaced", () => {
    record(
      ofHost(100, { hostname: "a", description: "x" }),
      ofHost(200, { hostname: "b", poll: 30 }),
      ofHost(200, { hostname: "c", skew: 3 }),
    );
    const at = (time: number) => revisionsAfter(app.db, "hosts", time).get(1);
    expect(at(99)).toEqual({ hostname: "a", description: "x", poll: 30, skew: 3 });
    expect(at(100)).toEqual({ hostname: "b", poll: 30, skew: 3 });
    expect(at(199)).toEqual(at(100));
    expect(at(200)).toBeUndefined();
  });

  test("says whether the object existed, however often it came and went", () => {
    const member = { kind: "host_group_members", hostId: 1, objectId: 7 } as const;
    const content = { byHand: true, byAgent: false, name: "racks" };
    record({ ...member, until: 100, content: null }, { ...member, until: 200, content });
    record({ ...member, until: 300, content: null });
    const at = (time: number) => pastObjects(app.db, "host_group_members", time).map((past) => past.content);
    expect(at(99)).toEqual([null]);
    expect(at(100)).toEqual([content]);
    expect(at(200)).toEqual([null]);
    expect(at(300)).toEqual([]);
  });

  test("is told apart by host and kind", () => {
    record(ofHost(100, { hostname: "a" }), ofHost(100, { hostname: "b" }, 2));
    record({ kind: "host_group_members", hostId: 1, objectId: 7, until: 100, content: null });
    record({ kind: "host_group_members", hostId: 2, objectId: 7, until: 100, content: null });
    expect([...revisionsAfter(app.db, "hosts", 0, [2])]).toEqual([[2, { hostname: "b" }]]);
    expect(revisionsAfter(app.db, "hosts", 0).size).toBe(2);
    expect(pastObjects(app.db, "host_group_members", 0)).toHaveLength(2);
    expect(pastObjects(app.db, "services", 0)).toEqual([]);
  });
});

test("a new database has recorded since it exists", () => {
  expect(recordedSince(app.db)).toBe(0);
});

test("revisions are kept as long as events", () => {
  app.settings.set("eventdays", 10);
  record(ofHost(START - 10 * DAY - 1, { hostname: "old" }), ofHost(START - 10 * DAY, { hostname: "kept" }));
  record({ kind: "limits", hostId: null, objectId: 1, until: START - 11 * DAY, content: null });
  const retention = new Retention(app.db, app.settings, app.clock);
  while (retention.step());
  expect(app.rows("select content from revisions")).toEqual([{ content: '{"hostname":"kept"}' }]);
});

describe("too many revisions", () => {
  const sweep = () => {
    const step = excessRevisionsSweep(app.db);
    transaction(app.db, () => {
      while (step(1) > 0);
    });
  };
  const ofService = (objectId: number, until: number): Revision => ({
    ...{ kind: "services", hostId: 1, objectId, until, content: { monitorState: until } },
  });

  test("of an object are deleted but for the newest, and what is older is unknown", () => {
    const times = Array.from({ length: MAX_REVISIONS_OF_OBJECT + 20 }, (_, i) => i + 1);
    record(...times.map((until) => ofService(1, until)), ofService(2, 1));
    record({ ...ofService(3, 1), hostId: 2 });
    sweep();
    const at = (time: number) => revisionsAfter(app.db, "services", time);
    expect(at(20).get(1)).toEqual({ monitorState: 21 });
    expect(at(19).get(1)).toBe("unknown");
    expect(at(0)).toEqual(
      new Map([
        [1, "unknown"],
        [2, { monitorState: 1 }],
        [3, { monitorState: 1 }],
      ] as never),
    );
    expect(rows()).toBe(MAX_REVISIONS_OF_OBJECT + 1 + 2);
    sweep();
    expect(rows()).toBe(MAX_REVISIONS_OF_OBJECT + 1 + 2);
    expect(at(20).get(1)).toEqual({ monitorState: 21 });
  });

  test("of a host are deleted, and of each of its objects one remains that says so", () => {
    const services = 60;
    const count = MAX_REVISIONS_OF_HOST + 3 * services;
    record(...Array.from({ length: count }, (_, i) => ofService((i % services) + 1, i + 1)));
    sweep();
    expect(rows()).toBe(MAX_REVISIONS_OF_HOST + services);
    const known = (time: number) => [...revisionsAfter(app.db, "services", time).values()];
    expect(known(0)).toEqual(Array.from({ length: services }, () => "unknown"));
    expect(known(3 * services)).not.toContain("unknown");
    sweep();
    expect(rows()).toBe(MAX_REVISIONS_OF_HOST + services);
  });
});
