import { beforeEach, describe, expect, test } from "bun:test";
import {
  excessRevisionsSweep,
  MAX_REVISIONS_OF_HOST,
  MAX_REVISIONS_OF_OBJECT,
} from "../../../src/monitoring/moment/excess-revisions.repository.ts";
import {
  pastObjects,
  recordedSince,
  revisionsAfter,
} from "../../../src/monitoring/moment/revisions.repository.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { type Revision, recordRevision } from "../../../src/platform/storage/revisions.repository.ts";
import { RowsRead } from "../../platform/queries/rows-read.ts";
import { TestApp } from "../../support/app.ts";
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
      while (step(500) > 0);
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

  test("are read and deleted in steps of a few hundred, however many a host has", async () => {
    const counter = new RowsRead();
    counter.start();
    try {
      const watched = new TestApp();
      for (const id of ["a", "b"]) await watched.report({ id });
      const left = () => watched.rows<{ n: number }>("select count(*) as n from revisions")[0]?.n ?? 0;
      const fill = (host: number, count: number, objects: number) =>
        watched.db.$client.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
          insert into revisions (kind, host_id, object_id, until, content)
          select 'services', ${host}, i % ${objects}, i / 700, '{"monitorState":1}' from n`);
      fill(1, MAX_REVISIONS_OF_HOST + 5000, 100);
      fill(2, MAX_REVISIONS_OF_OBJECT + 1000, 1);
      const step = excessRevisionsSweep(watched.db);
      let [steps, mostRead, mostDeleted] = [0, 0, 0];
      for (let [before, more] = [left(), true]; more; steps++) {
        counter.reset();
        more = transaction(watched.db, () => step(500)) > 0;
        mostRead = Math.max(mostRead, counter.rows);
        const now = left();
        mostDeleted = Math.max(mostDeleted, before - now);
        before = now;
      }
      expect(left()).toBe(MAX_REVISIONS_OF_HOST + 100 + MAX_REVISIONS_OF_OBJECT + 1);
      expect(steps).toBeGreaterThan(50);
      expect([mostRead >= 500, mostRead < 510, mostDeleted]).toEqual([true, true, 500]);
    } finally {
      counter.stop();
    }
  });

  test("are not read again while the host has no newer one", () => {
    record(...Array.from({ length: MAX_REVISIONS_OF_OBJECT + 2 }, (_, i) => ofService(1, i + 1)));
    record(
      ...Array.from({ length: MAX_REVISIONS_OF_OBJECT + 2 }, (_, i) => ({ ...ofService(1, i), hostId: 2 })),
    );
    const step = excessRevisionsSweep(app.db);
    const stepsOfPass = () => {
      let steps = 1;
      while (transaction(app.db, () => step(100)) > 0) steps++;
      return steps;
    };
    expect(stepsOfPass()).toBeGreaterThan(10);
    expect(stepsOfPass()).toBe(1);
    record(ofService(1, MAX_REVISIONS_OF_OBJECT + 3));
    expect(stepsOfPass()).toBe(7);
    expect(rows()).toBe(2 * (MAX_REVISIONS_OF_OBJECT + 1));
    expect(stepsOfPass()).toBe(1);
  });

  test("are all deleted although a step fails and is rolled back", () => {
    record(...Array.from({ length: MAX_REVISIONS_OF_OBJECT + 300 }, (_, i) => ofService(1, i + 1)));
    const step = excessRevisionsSweep(app.db);
    for (let i = 0; i < 5; i++) transaction(app.db, () => step(100));
    const fail = () =>
      transaction(app.db, () => {
        step(100);
        throw new Error("the disk is full");
      });
    expect(fail).toThrow("the disk is full");
    while (transaction(app.db, () => step(100)) > 0);
    expect(rows()).toBe(MAX_REVISIONS_OF_OBJECT + 1);
    expect(revisionsAfter(app.db, "services", 0).get(1)).toBe("unknown");
  });
});
