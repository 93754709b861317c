import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { batchesOf } from "../../src/platform/batches.ts";
import { type ApiError, asApiError } from "../api/client.ts";
import type { Glance, GlanceRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";

/** The most hosts in one request; more are never in view. */
const MAX_HOSTS = 200;
/** Hosts in each request, so that those at the top appear first. */
const AT_ONCE = 50;
/** The most hosts that are remembered while the user scrolls. */
const KEPT = 1000;
/** Time without scrolling before the visible rows are requested, milliseconds. */
const SETTLED_MS = 120;
const REFRESH_MS = 60_000;

/** What is known of the last 24 hours of hosts, by their ids. */
export interface Glances {
  of: ReadonlyMap<number, GlanceRecord>;
  /** Start of the 24 hours, unix seconds. */
  from: number;
  /** The moment in the past at which they end; null: now. */
  at: number | null;
  /** Why the last read failed. Rows stay as they are then. */
  error: ApiError | null;
}

/** The last 24 hours of the visible hosts, in one request. Hosts that come into view are requested once. */
export function useGlance(ids: readonly number[]): Glances & { retry: () => void } {
  const { api, at: shownMoment } = useMuster();
  const at = shownMoment.value;
  const glances = useSignal<Glances>({ of: new Map(), from: 0, at, error: null });
  const readVisible = useRef<() => void>(() => undefined);
  const key = ids.slice(0, MAX_HOSTS).join(" ");
  useEffect(() => {
    const visibleIds = key === "" ? [] : key.split(" ").map(Number);
    let unmounted = false;
    const read = async (hostIds: readonly number[]) => {
      try {
        for (const some of batchesOf(hostIds, AT_ONCE)) if (!unmounted) await readSome(some);
      } catch (error) {
        if (!unmounted) put([], null, asApiError(error));
      }
    };
    const readSome = async (hostIds: readonly number[]) => {
      const reply = await api.get<Glance>("/status/hosts/glance", { id: hostIds, at });
      if (!unmounted) put(reply.records, reply.datefrom, null);
    };
    const put = (records: readonly GlanceRecord[], from: number | null, error: ApiError | null) => {
      const kept = glances.peek().at === at ? glances.peek() : { of: [], from: 0 };
      const entries = [...kept.of, ...records.map((record) => [record.id, record] as const)];
      glances.value = { of: new Map(entries.slice(-KEPT)), from: from ?? kept.from, at, error };
    };
    readVisible.current = () => void read(visibleIds);
    const isKnown = (id: number) => glances.peek().at === at && glances.peek().of.has(id);
    const soon = setTimeout(() => void read(visibleIds.filter((id) => !isKnown(id))), SETTLED_MS);
    // A hidden page reads once, and again when it is shown.
    const readIfShown = () => {
      if (at === null && !document.hidden) void read(visibleIds);
    };
    const refresh = setInterval(readIfShown, REFRESH_MS);
    document.addEventListener("visibilitychange", readIfShown);
    return () => {
      unmounted = true;
      clearTimeout(soon);
      clearInterval(refresh);
      document.removeEventListener("visibilitychange", readIfShown);
    };
  }, [api, key, at]);
  return { ...glances.value, retry: () => readVisible.current() };
}
