/** The metrics of a large fleet are complete, and leave others their turn. */
import { describe, expect, test } from "bun:test";
import { FleetMetrics } from "../../../src/publishing/metrics/fleet-metrics.ts";
import { TestApp } from "../../support/app.ts";
import { FLEET, samplesOf, system } from "./fleet-samples.ts";

describe("a large fleet", () => {
  const app = new TestApp();
  const ready = (async () => {
    for (let i = 0; i < 250; i++)
      await app.report({ id: `agent-${i}`, hostname: `host-${i % 200}`, services: [system(`host-${i}`)] });
    return app.user();
  })();

  test("is complete and in order over all pages, with names that come twice", async () => {
    const keys = Object.keys(await samplesOf(await ready, "muster_host_up"));
    expect(keys.length).toBe(250);
    const expected = app
      .rows<{ hostname: string; id: number }>("select hostname, id from hosts order by hostname, id")
      .map(({ hostname, id }) => `host="${hostname}",hostid="${id}"`);
    expect(keys).toEqual(expected);
  });

  test("comes in chunks, and others have their turn while it is read", async () => {
    await ready;
    let time = 0;
    // Every look at the clock finds that the turn is over.
    const fleet = new FleetMetrics(app.db, () => (time += 5));
    let slices = 0;
    let going = true;
    const other = () => {
      slices++;
      if (going) setImmediate(other);
    };
    setImmediate(other);
    const snapshot = await fleet.read({ scope: "all" }, new AbortController().signal);
    going = false;
    expect(slices).toBeGreaterThan(200);
    expect(snapshot.families.length).toBeGreaterThan(10);
    const response = await (await ready).raw(FLEET);
    let chunks = 0;
    for await (const chunk of response.body ?? []) {
      chunks++;
      expect(chunk.byteLength).toBeLessThan(80_000);
    }
    expect(chunks).toBeGreaterThan(3);
  });

  test("lets others have their turn within one large host, too", async () => {
    const app = new TestApp();
    const services = Array.from({ length: 300 }, (_, i) => ({ name: `service-${i}` }));
    expect((await app.report({ services })).status).toBe(200);
    let milliseconds = 0;
    const metrics = new FleetMetrics(app.db, () => milliseconds++);
    let slices = 0;
    let isRead = false;
    const count = () => {
      slices++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    await metrics.read({ scope: "all" }, new AbortController().signal);
    isRead = true;
    expect(slices).toBeGreaterThan(100);
  });

  test("is read no further once nobody waits for it", async () => {
    await ready;
    const gone = new AbortController();
    let time = 0;
    const fleet = new FleetMetrics(app.db, () => (time += 5));
    const reading = fleet.read({ scope: "all" }, gone.signal);
    gone.abort(new Error("gone"));
    expect(await reading.catch((error) => error.message)).toBe("gone");
  });

  test("is told to a caller once at a time; the next request waits until that is read or gone", async () => {
    const user = await ready;
    const first = await user.raw(FLEET);
    const later: string[] = [];
    const waiting = [1, 2].map((i) =>
      user.get(FLEET).then(({ status }) => {
        later.push(`${i}: ${status}`);
      }),
    );
    // Everything that another caller is sent, while those wait.
    const other = await (await app.admin()).get(FLEET);
    expect([other.status, later]).toEqual([200, []]);
    await first.body?.cancel();
    await Promise.all(waiting);
    expect(later).toEqual(["1: 200", "2: 200"]);
    // An answer that is refused holds no place.
    for (let i = 0; i < 3; i++) expect((await user.get(FLEET, { family: "x" })).status).toBe(400);
    expect((await user.get(FLEET)).status).toBe(200);
  }, 60_000);
});
