import type { Causes } from "./report.ts";

/** Without load all of these take 1 to 2 ms; so do most of the answers under load. */
const SHARED =
  "Without load it takes 1 to 2 ms. Under load Muster, the thread for questions and the load generator share two cores, and " +
  "of a hundred answers the slowest waits for one of them.";
/** Of a list of hosts by what moves with every message. */
const MOVING =
  "What moves with every message has no index, as each message would have to write it: all 100,000 hosts are looked at, " +
  "which takes 12 to 14 ms without load, on two cores that the load generator shares.";
const LOOKED_AT =
  "A part of a name is looked for in all 100,000 names, which takes 13 ms without load, on two cores that the load " +
  "generator shares.";

const list = (query: string) => `questions: status/hosts/list?results=100&${query}`;

/** Why targets are missed: by the benchmark's name and what its figure is called. Written by hand. */
export const CAUSES: Causes = {
  "ingest: connections kept: share of the ceiling":
    "The thread that takes messages waits for the disk at every commit; no agent keeps its connection.",
  "idle: CPU, share of one core":
    "A third of it is the runtime's own housekeeping; the rest are messages, each of which finds a cold processor cache.",
  "idle: resident memory, most":
    "Over 50 MB of it are pages of the executable itself, the JavaScript runtime above all, which the kernel can drop at any " +
    "time; Muster's own memory is about 30 MB.",
  "questions: status/hosts/summary":
    "Without load it takes 1.5 ms. It is answered by the thread that takes messages, and waits for the commit at hand.",
  [list("sort=hostname&dir=asc")]: SHARED,
  [list("sort=hostname&dir=desc")]: SHARED,
  [list("sort=led&dir=desc")]: SHARED,
  [list("sort=events&dir=desc")]: SHARED,
  [list("sort=cpu&dir=asc")]: MOVING,
  [list("sort=cpu&dir=desc")]: MOVING,
  [list("sort=mem&dir=asc")]: MOVING,
  [list("sort=mem&dir=desc")]: MOVING,
  [list("hostpattern=host-77")]: LOOKED_AT,
  [list("hostgroupid=1&led=2&hostpattern=7&sort=cpu")]: `${MOVING} ${LOOKED_AT}`,
  "questions: reports/history/get?hostid=1&serviceid=1&type=0&datefrom=…":
    "Without load it takes 6 ms. Under load Muster, the thread for questions and the load generator share two cores.",
};
