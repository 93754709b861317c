/** The metrics of a large fleet are complete, and leave others their turn. */
import { describe, expect, test } from "bun:test";
import { FleetMetrics } from "../../../src/publishing/metrics/fleet-metrics.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { FLEET, samplesOf, system } from "./fleet-samples.ts";

const never = new AbortController().signal;

/** The metrics of an app, and how many hosts each page had that was read. */
function watched({ muster: { queries, eventLog } }: TestApp, afterPage?: () => void) {
  const pages: number[] = [];
  const fleetPage: typeof queries.fleetPage = async (...args) => {
    const reply = await queries.fleetPage(...args);
    const ups = reply.value.families.find(({ name }) => name === "muster_host_up");
    pages.push(ups?.values.length ?? 0);
    afterPage?.();
    return reply;
  };
  return { pages, fleet: new FleetMetrics(eventLog, { ...queries, fleetPage }) };
}

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

  test("comes in chunks, and is read in pages, between which others have their turn", async () => {
    const user = await ready;
    const { pages, fleet } = watched(app);
    const snapshot = await fleet.read("test", { scope: "all" }, never);
    expect(pages).toEqual([100, 100, 50]);
    expect(snapshot.families.length).toBeGreaterThan(10);
    const response = await user.raw(FLEET);
    let chunks = 0;
    for await (const chunk of response.body ?? []) {
      chunks++;
      expect(chunk.byteLength).toBeLessThan(80_000);
    }
    expect(chunks).toBeGreaterThan(3);
  });

  test("is read in pages of fewer hosts if these are large, with every descriptor and label in its place", async () => {
    const app = new TestApp();
    const names = Array.from({ length: 700 }, (_, i) => `service-${i}`);
    for (let i = 0; i < 5; i++) {
      const services = names.map((name, n) => ({
        name: `${name}-${i}`,
        type: 0,
        body: filesystemXml({ percent: (n + i) % 100 }),
      }));
      expect((await app.report({ id: `agent-${i}`, hostname: `host-${i}`, services })).status).toBe(200);
    }
    const { pages, fleet } = watched(app);
    const { families } = await fleet.read("test", { scope: "all" }, never);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.reduce((sum, hosts) => sum + hosts, 0)).toBe(5);
    expect(families.every(({ sets }) => sets.length > 0)).toBe(true);
    const read = await samplesOf(await app.admin(), "muster_filesystem_usage_ratio");
    const expected = Array.from({ length: 5 }, (_, i) =>
      names.map((name, n) => [
        `host="host-${i}",hostid="${i + 1}",service="${name}-${i}",type="Filesystem"`,
        ((n + i) % 100) / 100,
      ]),
    );
    expect(read).toEqual(Object.fromEntries(expected.flat()));
  });

  test("is read no further once nobody waits for it", async () => {
    await ready;
    const gone = new AbortController();
    const { pages, fleet } = watched(app, () => gone.abort(new Error("gone")));
    const reading = fleet.read("test", { scope: "all" }, gone.signal);
    expect(await reading.catch((error) => error.message)).toBe("gone");
    expect(pages).toEqual([100]);
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
  });
});
