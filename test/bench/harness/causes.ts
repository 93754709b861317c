import type { Causes } from "./report.ts";

const SHARED =
  "Under load Muster, the thread for questions and the load generator share two cores, and the slowest of a hundred waits for " +
  "one of them.";
/** Of a list of hosts by what moves with every message. */
const MOVING =
  "What moves with every message is kept in no order: an index with 100,000 entries is read, which takes 6 ms without load.";
const LOOKED_AT =
  "A part of a name is looked for in all 100,000 names, for the page and for its total, 4 ms each without load.";

const list = (query: string) => `questions: status/hosts/list?results=100&${query}`;

/** Why targets are missed: by the benchmark's name and what its figure is called. Written by hand. */
export const CAUSES: Causes = {
  "ingest: connections kept: share of the ceiling":
    "A message takes the one thread that stores messages about four times the CPU of a bare answer. Not waiting for the disk " +
    "was tried and brought nothing. No agent keeps its connection.",
  "idle: CPU, share of one core":
    "A third of it is the runtime's own housekeeping; the rest are messages, each of which finds a cold processor cache.",
  "idle: resident memory, most":
    "Over 50 MB of it are pages of the executable itself, the JavaScript runtime above all, which the kernel can drop at any " +
    "time; Muster's own memory is about 30 MB.",
  "soak: growth of resident memory between them":
    "Towards the end the hour before was being packed, with 1,600 samples of each host where agents send 120; in a run " +
    "within one hour, disturbed by other work, memory fell by 5 %.",
  "questions: status/hosts/summary":
    "Without load it takes 1.5 ms. It is answered by the thread that takes messages, and waits behind those that came before it: " +
    "the load generator sends 13 at a time.",
  [list("sort=cpu&dir=desc")]: `${MOVING} ${SHARED}`,
  [list("sort=mem&dir=asc")]: `${MOVING} ${SHARED}`,
  [list("hostgroupid=1&led=2&hostpattern=7&sort=cpu")]:
    `${MOVING} ${LOOKED_AT} Membership of 50,000 hosts is looked up twice as well. ${SHARED}`,
  "questions: reports/history/get?hostid=1&serviceid=1&type=0&datefrom=…": `Without load it takes 6 ms. ${SHARED}`,
};
