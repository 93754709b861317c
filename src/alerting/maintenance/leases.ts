import { matchesServiceName } from "../../monitoring/places/place-filter.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { wakeSuppressed } from "../rules/alert-wakes.repository.ts";
import { hostsOf, listsOf, nextOpenFailures } from "./leases.repository.ts";
import { leasedMutes, type Mute, setEndOfMute } from "./maintenance.repository.ts";

/** The most hosts of one mute that are looked at together, and the most of their failures that are then read. */
const TOGETHER = 100;
/** Hosts and failures after which a step ends, for all mutes. */
const ROWS = 500;

/** How far the hosts of a mute have been looked at. */
interface Walk {
  /** When the lease ended, unix seconds. */
  releasedAt: number;
  /** The list of hosts (`listsOf`) that is being read, and the id up to which all its hosts have recovered. */
  list: number;
  hostId: number;
  /** The next host, some of whose failures were already read, and the id after which reading continues. */
  inside: { hostId: number; failureId: number } | null;
  /** Whether the host or failure that comes next has not recovered yet, so only it is read again. */
  isBlocked: boolean;
}

/** over: all hosts have recovered. lasts: one has not. unfinished: none was found yet that has not. */
type Outcome = "over" | "lasts" | "unfinished";

/**
 * Ends the mutes whose lease ended, once their hosts have recovered or the grace period is over. Each host has to
 * report after the end of the lease, and must have no open failure that began under the mute. An earlier failure does
 * not prolong the mute.
 * A mute can cover all hosts, and any number of failures can be open, so its hosts are looked at in parts. Once one is
 * found that has not recovered, nothing else is read for that mute until it has. Then all are looked at again.
 */
export class Leases {
  readonly #walks = new Map<number, Walk>();
  /** The mutes whose turn is yet to come. */
  #turns: number[] = [];

  constructor(private readonly db: Db) {}

  /** Looks at a bounded number of hosts and failures. @returns whether there is more to look at now */
  step(now: number): boolean {
    const released = new Map<number, Mute>();
    for (const mute of leasedMutes(this.db))
      if (mute.leasedUntil !== null && mute.leasedUntil <= now) released.set(mute.id, mute);
    for (const id of this.#walks.keys()) if (!released.has(id)) this.#walks.delete(id);
    if (released.size === 0) return false;
    return transaction(this.db, () => this.#step(released, now));
  }

  #step(released: ReadonlyMap<number, Mute>, now: number): boolean {
    const expired = [...released.values()].filter(({ schedule }) => schedule.to <= now);
    for (const mute of expired) setEndOfMute(this.db, mute, mute.schedule.to, now);
    if (this.#turns.length === 0) this.#turns = [...released.keys()];
    for (let rows = 0; rows < ROWS; ) {
      const id = this.#turns.shift();
      if (id === undefined) break;
      const mute = released.get(id);
      if (!mute || expired.includes(mute)) continue;
      const { outcome, read } = this.#look(mute);
      rows += 1 + read;
      if (outcome === "unfinished") this.#turns.push(id);
      if (outcome !== "over") continue;
      this.#walks.delete(id);
      setEndOfMute(this.db, mute, now, now);
      wakeSuppressed(this.db);
    }
    return this.#turns.length > 0;
  }

  #walkOf({ id, leasedUntil }: Mute): Walk {
    const releasedAt = leasedUntil ?? 0;
    const walk = this.#walks.get(id);
    if (walk?.releasedAt === releasedAt) return walk;
    return this.#begin(id, releasedAt);
  }

  #begin(id: number, releasedAt: number): Walk {
    const walk = { releasedAt, list: 0, hostId: 0, inside: null, isBlocked: false };
    this.#walks.set(id, walk);
    return walk;
  }

  /** Looks at the next hosts of a mute, or only at what made it last. @returns how many rows were read */
  #look(mute: Mute): { outcome: Outcome; read: number } {
    const walk = this.#walkOf(mute);
    const wasBlocked = walk.isBlocked;
    const { outcome, read } = this.#lookOn(mute, walk, wasBlocked ? 1 : TOGETHER);
    walk.isBlocked = outcome === "lasts";
    if (!wasBlocked || walk.isBlocked) return { outcome, read };
    // Hosts that were looked at long ago may fail by now.
    this.#begin(mute.id, walk.releasedAt);
    return { outcome: "unfinished", read };
  }

  #lookOn({ filter, schedule }: Mute, walk: Walk, limit: number): { outcome: Outcome; read: number } {
    const list = listsOf(filter)[walk.list];
    if (!list) return { outcome: "over", read: 0 };
    const ids = list(this.db, walk.hostId, limit);
    const selected = hostsOf(this.db, filter, ids, walk.releasedAt);
    let read = ids.length + selected.length;
    const late = selected.find(({ isLate }) => isLate);
    if (late) {
      Object.assign(walk, { hostId: late.id - 1, inside: null });
      return { outcome: "lasts", read };
    }
    for (const { id } of selected.filter(({ isFailing }) => isFailing)) {
      const after = walk.inside?.hostId === id ? walk.inside.failureId : 0;
      const failures = nextOpenFailures(this.db, id, after, limit);
      read += failures.length;
      const lasting = failures.find(
        (failure) => failure.startedAt >= schedule.from && matchesServiceName(filter, failure.serviceName),
      );
      const failureId = lasting ? lasting.id - 1 : failures.at(-1)?.id;
      const isPart = lasting !== undefined || failures.length === limit || read >= ROWS;
      if (isPart && failureId !== undefined) {
        Object.assign(walk, { hostId: id - 1, inside: { hostId: id, failureId } });
        return { outcome: lasting ? "lasts" : "unfinished", read };
      }
    }
    const last = ids.at(-1);
    Object.assign(walk, { inside: null, ...(ids.length < limit ? nextList(walk) : { hostId: last }) });
    return { outcome: listsOf(filter)[walk.list] ? "unfinished" : "over", read };
  }
}

/** The beginning of the next list. */
function nextList({ list }: Walk): Pick<Walk, "list" | "hostId"> {
  return { list: list + 1, hostId: 0 };
}
