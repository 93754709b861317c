import { describe, expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { isOnPostgres } from "../../support/database.ts";
import { Random } from "../../support/random.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { bitsOf, DAY_START, HistoryFixture, HOUR, runToEnd } from "./history-fixture.ts";
import { RandomHost } from "./random-samples.ts";

/** Milliseconds that pass with every look at the clock: at 20 a step does one thing only. */
function monotonicOf(msPerLook: number): () => number {
  let now = 0;
  return () => {
    now += msPerLook;
    return now;
  };
}

async function randomHosts(fixture: HistoryFixture, random: Random, count: number): Promise<RandomHost[]> {
  const hosts: RandomHost[] = [];
  for (let i = 0; i < count; i++)
    hosts.push(new RandomHost(await fixture.addHost(`host-${i}`), fixture, random));
  return hosts;
}

function expectNothingLost(fixture: HistoryFixture, hosts: readonly RandomHost[]): void {
  for (const { id } of hosts)
    expect({ host: id, rows: fixture.storedBits(id) }).toEqual({ host: id, rows: fixture.shadowBits(id) });
}

function blockBits(fixture: HistoryFixture, hostId: number, resolution: number) {
  return fixture.blocks(hostId, resolution).map(({ start, rows }) => ({ start, rows: rows.map(bitsOf) }));
}

function looseFrom(fixture: HistoryFixture): number | null {
  return fixture.app.rows<{ at: number | null }>("select min(at) as at from samples")[0]?.at ?? null;
}

describe("every value comes out of compaction as it went in", () => {
  for (let seed = 1; seed <= 6; seed++)
    test(`random hosts over four hours, seed ${seed}`, async () => {
      const fixture = new HistoryFixture();
      const random = new Random(seed);
      const hosts = await randomHosts(fixture, random, 4);
      for (const host of hosts) host.measure(START - 2 * HOUR + random.below(HOUR), START + 2 * HOUR);
      fixture.app.clock.step(2 * HOUR - 1);
      fixture.pack();
      expectNothingLost(fixture, hosts);
      expect(looseFrom(fixture)).toBeGreaterThanOrEqual(START + HOUR);
      for (const { id } of hosts)
        for (const { start, rows } of fixture.blocks(id, 0))
          for (const { at } of rows) expect(at - start).toBeWithin(0, HOUR);
    });

  for (let seed = 1; seed <= 6; seed++)
    test(`also late samples of hours that were packed before, seed ${seed}`, async () => {
      const fixture = new HistoryFixture();
      const random = new Random(seed);
      const hosts = await randomHosts(fixture, random, 3);
      for (let round = 0; round < 5; round++) {
        for (const host of hosts) {
          // As if the clock had been set back, by up to three hours.
          const from = fixture.app.clock.now() - random.below(3 * HOUR);
          host.measure(from, from + random.below(HOUR));
        }
        fixture.app.clock.step(random.between(1, HOUR));
        fixture.pack();
        expectNothingLost(fixture, hosts);
      }
      fixture.app.clock.step(2 * HOUR);
      fixture.pack();
      expectNothingLost(fixture, hosts);
      expect(looseFrom(fixture)).toBeNull();
    });

  for (let seed = 1; seed <= 6; seed++)
    test(`wherever it is stopped and begun again, seed ${seed}`, async () => {
      const fixture = new HistoryFixture();
      const random = new Random(seed);
      const hosts = await randomHosts(fixture, random, 3);
      // Over midnight, so that days are summed up too.
      fixture.app.clock.step(14 * HOUR);
      for (const host of hosts) host.measure(START + 9 * HOUR, START + 13 * HOUR);
      for (let runs = 0; ; runs++) {
        const compaction = fixture.compaction(monotonicOf(random.pick([5, 20])));
        let more = true;
        for (let steps = random.between(1, 6); steps > 0 && more; steps--) more = compaction.step();
        expectNothingLost(fixture, hosts);
        if (!more) break;
        expect(runs).toBeLessThan(500);
      }
      expect(looseFrom(fixture)).toBeNull();
      const inOneGo = new HistoryFixture();
      const twins = await randomHosts(inOneGo, new Random(seed), 3);
      inOneGo.app.clock.step(14 * HOUR);
      for (const twin of twins) twin.measure(START + 9 * HOUR, START + 13 * HOUR);
      inOneGo.pack();
      for (const { id } of hosts)
        for (const resolution of [0, 300, 3600])
          expect(blockBits(fixture, id, resolution)).toEqual(blockBits(inOneGo, id, resolution));
    });
});

describe("a step", () => {
  async function fixtureWithHours(hours: number): Promise<HistoryFixture> {
    const fixture = new HistoryFixture();
    const id = await fixture.addHost("host");
    for (let i = 0; i < hours * 4; i++)
      fixture.addSample(id, START + i * 900, [1, 2], Float64Array.of(i, 0.5));
    fixture.app.clock.step(hours * HOUR + 60);
    return fixture;
  }

  const BUDGETS: readonly [msPerLook: number, blocks: number[]][] = [
    [20, [1, 2, 3, 4, 5, 6]],
    [10, [2, 4, 6]],
    [7, [3, 6]],
    [1, [6]],
  ];
  for (const [msPerLook, blocks] of BUDGETS)
    test(`ends after 20 ms: with ${msPerLook} ms for an hour of a host it packs ${blocks[0]}`, async () => {
      const fixture = await fixtureWithHours(6);
      const compaction = fixture.compaction(monotonicOf(msPerLook));
      for (const packed of blocks) {
        compaction.step();
        expect(fixture.blocks(1, 0)).toHaveLength(packed);
      }
    });

  test("says when there is nothing left, and does nothing then", async () => {
    const fixture = await fixtureWithHours(2);
    const compaction = fixture.compaction();
    expect(compaction.step()).toBe(false);
    const before = stored(fixture.app);
    expect([compaction.step(), compaction.step()]).toEqual([false, false]);
    expect(changedTables(fixture.app, before)).toEqual([]);
  });

  test("leaves an hour alone until a minute after its end", async () => {
    const fixture = await fixtureWithHours(1);
    fixture.app.clock.step(-1);
    const compaction = fixture.compaction();
    compaction.step();
    expect(fixture.blocks(1, 0)).toEqual([]);
    fixture.app.clock.step(1);
    compaction.step();
    expect(fixture.blocks(1, 0)).toHaveLength(1);
  });

  test("that is cut short leaves everything as it was, and another run goes on", async () => {
    const fixture = await fixtureWithHours(6);
    for (let looks = 1; looks <= 5; looks++) {
      const before = stored(fixture.app);
      let left = looks;
      const compaction = fixture.compaction(() => {
        if (left-- === 0) throw new Error("power cut");
        return 0;
      });
      expect(() => compaction.step()).toThrow("power cut");
      expect(changedTables(fixture.app, before)).toEqual([]);
    }
    fixture.pack();
    expect(fixture.storedBits(1)).toEqual(fixture.shadowBits(1));
    expect(fixture.blocks(1, 0)).toHaveLength(6);
  });

  test("gives host after host its turn, and a host added later too", async () => {
    const fixture = await fixtureWithHours(1);
    const compaction = fixture.compaction();
    runToEnd(compaction);
    const second = await fixture.addHost("second");
    fixture.addSample(second, fixture.app.clock.now(), [1], Float64Array.of(1));
    fixture.addSample(1, fixture.app.clock.now(), [1], Float64Array.of(1));
    fixture.app.clock.step(HOUR);
    runToEnd(compaction);
    expect(fixture.app.rows("select count(*) as n from samples")).toEqual([{ n: 0 }]);
    expect(fixture.blocks(second, 0)).toHaveLength(1);
  });

  test("does nothing while the clock is set back, and nothing is lost", async () => {
    const fixture = await fixtureWithHours(2);
    const compaction = fixture.compaction();
    runToEnd(compaction);
    fixture.app.clock.step(-90 * 60);
    fixture.addSample(1, fixture.app.clock.now(), [1], Float64Array.of(7));
    runToEnd(compaction);
    expect(fixture.storedBits(1)).toEqual(fixture.shadowBits(1));
    fixture.app.clock.step(3 * HOUR);
    runToEnd(compaction);
    expect(fixture.storedBits(1)).toEqual(fixture.shadowBits(1));
    expect(looseFrom(fixture)).toBeNull();
  });

  test("packs what comes after the clock was a year ahead for a moment", async () => {
    const fixture = await fixtureWithHours(2);
    const compaction = fixture.compaction();
    const year = 365 * 24 * HOUR;
    fixture.app.clock.step(year);
    fixture.addSample(1, fixture.app.clock.now(), [1], Float64Array.of(8));
    runToEnd(compaction);
    fixture.app.clock.step(-year);
    for (let hour = 0; hour < 30; hour++) {
      fixture.addSample(1, fixture.app.clock.now(), [1], Float64Array.of(hour));
      fixture.app.clock.step(HOUR);
      runToEnd(compaction);
    }
    expect(fixture.storedBits(1)).toEqual(fixture.shadowBits(1));
    // The one of the wrong time waits until that hour is over.
    expect(fixture.app.rows("select at from samples")).toEqual([{ at: START + 2 * HOUR + 60 + year }]);
    const counts = fixture.blocks(1, HOUR).flatMap(({ rows }) => rows.map(({ values }) => values[3] ?? 0));
    const packed = fixture.blocks(1, 0).flatMap(({ rows }) => rows);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(packed.length);
  });
});

describe("a block that cannot be read", () => {
  function damage(fixture: HistoryFixture, hostId: number, resolution: number): void {
    fixture.app.db.$client.run(
      `update history_blocks set payload = zeroblob(3) where host_id = ${hostId} and resolution = ${resolution}`,
    );
  }

  async function twoHosts(): Promise<HistoryFixture> {
    const fixture = new HistoryFixture();
    for (const name of ["damaged", "sound"]) {
      const id = await fixture.addHost(name);
      for (let i = 0; i < 8; i++) fixture.addSample(id, START + i * 400, [1], Float64Array.of(i));
    }
    fixture.app.clock.step(HOUR + 60);
    fixture.pack();
    return fixture;
  }

  test("keeps its own host's late samples loose, and no other's", async () => {
    const fixture = await twoHosts();
    damage(fixture, 1, 0);
    for (const id of [1, 2]) fixture.addSample(id, START + 5, [1], Float64Array.of(9));
    const loose = fixture.app.rows("select * from samples where host_id = 1");
    fixture.app.clock.step(HOUR);
    const compaction = fixture.compaction();
    runToEnd(compaction);
    expect(fixture.storedBits(2)).toEqual(fixture.shadowBits(2));
    expect(fixture.app.rows("select * from samples")).toEqual(loose);
    expect(
      fixture.app.rows("select payload from history_blocks where host_id = 1 and resolution = 0"),
    ).toEqual([{ payload: new Uint8Array(3) }]);
    expect(fixture.app.logged.filter((line) => line.startsWith("error"))).toHaveLength(1);
  });

  test("lets the host go on once it is gone", async () => {
    const fixture = await twoHosts();
    damage(fixture, 1, 0);
    fixture.addSample(1, START + 5, [1], Float64Array.of(9));
    fixture.app.clock.step(HOUR);
    fixture.pack();
    fixture.app.db.$client.run("delete from history_blocks where host_id = 1");
    fixture.pack();
    expect(fixture.blocks(1, 0).flatMap(({ rows }) => [...rows].map(({ at }) => at))).toEqual([START + 5]);
  });

  test("per five minutes keeps only its own host's day from being summed up", async () => {
    const fixture = await twoHosts();
    damage(fixture, 1, 300);
    fixture.app.clock.step(12 * HOUR);
    const compaction = fixture.compaction();
    runToEnd(compaction);
    expect(fixture.app.rows("select host_id from history_blocks where resolution = 3600")).toEqual([
      { host_id: 2 },
    ]);
    expect(fixture.app.settings.get("rolledthrough")).toBe(START + 12 * HOUR);
    expect(fixture.app.logged.filter((line) => line.startsWith("error"))).toHaveLength(1);
  });
});

describe("a full disk", () => {
  /** Nothing can be stored beyond the pages that the database has, unless `isFull` is false. */
  function setFull({ app }: HistoryFixture, isFull: boolean): void {
    app.db.$client.run("pragma incremental_vacuum");
    const [size] = app.rows<{ page_count: number }>("pragma page_count");
    app.db.$client.run(`pragma max_page_count = ${isFull ? size?.page_count : 1_000_000}`);
  }

  /** Random numbers do not get smaller by packing: each hour needs pages of its own. */
  async function incompressibleHosts(hours: number): Promise<HistoryFixture> {
    const fixture = new HistoryFixture();
    const random = new Random(1);
    const ids = Array.from({ length: 200 }, (_, i) => i + 1);
    for (const name of ["first", "second", "third"]) {
      const id = await fixture.addHost(name);
      for (let at = START; at < START + hours * HOUR; at += 600)
        fixture.addSample(
          id,
          at,
          ids,
          Float64Array.from(ids, () => random.fraction()),
        );
    }
    fixture.app.clock.step(hours * HOUR + 60);
    return fixture;
  }

  // PostgreSQL has no limit that a test could set.
  if (isOnPostgres()) return;

  test("puts packing off, and no host is given up", async () => {
    const fixture = await incompressibleHosts(1);
    const compaction = fixture.compaction();
    setFull(fixture, true);
    expect(() => runToEnd(compaction)).toThrow("full");
    setFull(fixture, false);
    runToEnd(compaction);
    expect(looseFrom(fixture)).toBeNull();
    for (const id of [1, 2, 3]) expect(fixture.storedBits(id)).toEqual(fixture.shadowBits(id));
  });

  test("puts the sums of a day off, and leaves out no host", async () => {
    const fixture = await incompressibleHosts(11);
    const compaction = fixture.compaction();
    runToEnd(compaction);
    fixture.app.clock.step(HOUR);
    setFull(fixture, true);
    expect(() => runToEnd(compaction)).toThrow("full");
    setFull(fixture, false);
    runToEnd(compaction);
    expect([1, 2, 3].map((id) => fixture.blocks(id, HOUR).length)).toEqual([1, 1, 1]);
  });
});

test("a host that was deleted when its day was rolled up has the same history as others after undo", async () => {
  const fixture = new HistoryFixture();
  for (const name of ["deleted", "here"]) {
    const id = await fixture.addHost(name);
    for (const at of [START, START + HOUR]) fixture.addSample(id, at, [1], Float64Array.of(at - START));
  }
  fixture.app.clock.step(HOUR + 60);
  fixture.pack();
  fixture.app.deleteHosts([1]);
  fixture.app.clock.step(2 * 86_400);
  fixture.pack();
  fixture.app.restoreHosts([1]);
  fixture.pack();
  for (const resolution of [0, 300, HOUR])
    expect(fixture.blocks(1, resolution)).toEqual(fixture.blocks(2, resolution));
  expect(fixture.blocks(1, HOUR)).toHaveLength(1);
});

test("values of five minutes are kept until their day is rolled up, which is late after Muster was off", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  app.settings.set("historyfiveminutes", 1);
  const id = await fixture.addHost("host");
  for (const hour of [1, 9]) fixture.addSample(id, DAY_START + hour * HOUR, [1], Float64Array.of(hour));
  fixture.pack();
  app.clock.step(3 * 86_400);
  while (app.muster.retention.step());
  fixture.pack();
  expect(fixture.blocks(id, HOUR).map(({ rows }) => rows.length)).toEqual([2]);
  app.clock.step(HOUR);
  while (app.muster.retention.step());
  expect(fixture.blocks(id, 300)).toEqual([]);
});

test("samples that were not packed before Muster was off are packed, however old they are", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  const id = await fixture.addHost("host");
  for (const hour of [1, 2]) fixture.addSample(id, DAY_START + hour * HOUR, [1], Float64Array.of(hour));
  app.clock.step(20 * 86_400);
  while (app.muster.retention.step());
  fixture.pack();
  expect(fixture.blocks(id, 300)).toHaveLength(2);
});

test("a restored host keeps the means of hours whose finer values retention had deleted before", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  app.settings.set("historyfiveminutes", 1);
  const id = await fixture.addHost("restored");
  for (const hour of [1, 20]) fixture.addSample(id, DAY_START + hour * HOUR, [1], Float64Array.of(hour));
  app.clock.step(86_400);
  fixture.pack();
  while (app.muster.retention.step());
  const hours = fixture.blocks(id, HOUR);
  expect([hours[0]?.rows.length, fixture.blocks(id, 300).length]).toEqual([2, 1]);
  app.deleteHosts([id]);
  app.restoreHosts([id]);
  expect(fixture.blocks(id, HOUR)).toEqual(hours);
});

test("samples of a deleted host go with it, packed or not", async () => {
  const fixture = new HistoryFixture();
  for (const name of ["gone", "here"]) {
    const id = await fixture.addHost(name);
    for (const at of [START, START + HOUR]) fixture.addSample(id, at, [1], Float64Array.of(1));
  }
  fixture.app.clock.step(HOUR + 60);
  fixture.pack();
  fixture.app.deleteHosts([1]);
  for (const table of ["samples", "sample_layouts", "history_blocks"])
    expect(fixture.app.rows(`select distinct host_id from ${table}`)).toEqual([{ host_id: 2 }]);
  fixture.app.clock.step(HOUR);
  fixture.pack();
  expect(fixture.storedBits(2)).toEqual(fixture.shadowBits(2));
});
