/** The faults of the parts of a cluster, one after the other, and how long its agents got no answer. */
import { equal } from "node:assert/strict";
import { eventually } from "../support.ts";
import type { Site } from "./site.ts";

/** How long a fault lasts, milliseconds. */
export interface Durations {
  /** How long a node hangs or is cut off. It must be longer than a lease. */
  hang: number;
}

/** @returns milliseconds until messages were accepted again */
type Fault = (site: Site, durations: Durations) => Promise<number>;

/** Waits until the other node has taken over. @returns milliseconds since the mark */
async function takenOver(site: Site): Promise<number> {
  const after = await site.takenAgain();
  await eventually("the standby has taken over", () => site.standby.isActive());
  return after;
}

/** A node that comes back after another one took its place must end. */
async function endsItself(site: Site, back: () => void): Promise<void> {
  const node = site.active;
  const before = node.exits.length;
  back();
  await eventually("the node that was replaced ends", () => node.exits.length > before);
  equal(node.exits.at(-1), 1);
}

async function replaced(site: Site, { hang }: Durations, gone: () => void, back: () => void) {
  site.load.mark();
  const until = performance.now() + hang;
  gone();
  const after = await takenOver(site);
  await Bun.sleep(Math.max(0, until - performance.now()));
  await endsItself(site, back);
  return after;
}

/** The primary is gone, and the standby is promoted. @returns milliseconds from the promotion */
async function failedOver(site: Site, gone: () => void): Promise<number> {
  gone();
  await eventually("the health check of all nodes fails", async () => {
    const health = await Promise.all(site.nodes.map((node) => node.isActive()));
    return health.every((isActive) => !isActive);
  });
  await site.pair.promote();
  site.load.mark();
  return site.takenAgain();
}

export const FAULTS = {
  "the active Muster is killed": async (site) => {
    // Its service manager starts it again, so that either node may be the next active one.
    site.load.mark();
    site.active.signal("SIGKILL");
    return site.takenAgain();
  },
  "the active Muster hangs": (site, durations) => {
    const { active } = site;
    return replaced(
      ...([site, durations] as const),
      () => active.signal("SIGSTOP"),
      () => active.signal("SIGCONT"),
    );
  },
  "the active Muster is cut off": (site, durations) => {
    const { active } = site;
    return replaced(
      ...([site, durations] as const),
      () => active.cutOff(),
      () => active.heal(),
    );
  },
  "the standby Muster is killed": async (site) => {
    site.load.mark();
    site.standby.signal("SIGKILL");
    return site.takenAgain();
  },
  "the primary is killed": async (site) => {
    const after = await failedOver(site, () => site.pair.primary.kill());
    await site.pair.rebuild();
    return after;
  },
  "the primary hangs": async (site) => {
    const { primary } = site.pair;
    const after = await failedOver(site, () => primary.pause());
    // An administrator who promotes a standby ends the old primary.
    primary.kill();
    await site.pair.rebuild();
    return after;
  },
  "the primary is cut off": async (site) => {
    const index = site.pair.primaryIndex;
    const ways = site.nodes.map(({ toServers }) => toServers[index]);
    const after = await failedOver(site, () => {
      for (const way of ways) way.stall();
    });
    // It comes back and still considers itself the primary.
    for (const way of ways) way.heal();
    await site.settled();
    await site.check();
    await site.pair.rebuild();
    return after;
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/**
 * Causes one fault, waits until everything is as before, and checks what is stored.
 * @returns milliseconds until messages were accepted again, of a failover from the promotion
 * @throws when something acknowledged was lost, is stored twice, was not notified, or arrived more than twice, and
 * when a host counted as down
 */
export async function happen(site: Site, name: FaultName, durations: Durations): Promise<number> {
  await site.settled();
  site.watcher.change();
  await site.load.rise();
  const after = await FAULTS[name](site, durations);
  site.load.fall();
  await site.settled();
  await site.check();
  await site.checkWatcher();
  await site.checkNotifications();
  return after;
}
