/** Bounds the samples of a host, however often it posts: those of an hour are packed together. */
import { LruMap } from "../../platform/lru-map.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { insertSample, type NewSample, replaceSample } from "./samples.repository.ts";

/** Seconds for each sample that a host may store in the long run. */
const SECONDS_PER_SAMPLE = 5;
/** A sample with more values counts several times. */
const VALUES_PER_SAMPLE = 4000;
/** Samples that a host may store at once, for example when messages arrive late. An hour thus has at most 1,000. */
const AT_ONCE = 280;
const SECONDS_AT_ONCE = AT_ONCE * SECONDS_PER_SAMPLE;
/** The most hosts to remember. Hosts that post too often are among those that posted last. */
const HOSTS = 50_000;

/** Until when each host has used up its samples, unix seconds. A restart forgets it. */
const usedUntil = prepareOnce(() => new LruMap<number, number>(HOSTS));

/** Counts a sample, unless it is one too many for its host. @returns whether it was counted */
function countSample(db: Db, { hostId, at, values }: NewSample): boolean {
  const hosts = usedUntil(db);
  const before = hosts.get(hostId) ?? 0;
  // If the clock was set back, this would be far in the future.
  const from = before > at + SECONDS_AT_ONCE ? at : Math.max(before, at);
  const until = from + SECONDS_PER_SAMPLE * Math.max(1, values.length / VALUES_PER_SAMPLE);
  if (until > at + SECONDS_AT_ONCE) return false;
  hosts.set(hostId, until);
  return true;
}

/** Stores a sample; if its host has too many, in place of the newest one, so that the last values are always known. */
export function putSample(db: Db, sample: NewSample): void {
  if (countSample(db, sample)) insertSample(db, sample);
  else replaceSample(db, sample);
}
