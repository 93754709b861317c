/** The parts of Muster that receive faults: those whose work the simulation has to verify. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../support/random.ts";
import { type Mutant, mutate } from "./mutants.ts";

/**
 * The files of each area. The areas take turns:
 * - ingest: from the document of an agent to rows;
 * - heartbeat: which hosts are down;
 * - failures: events, the failures they open and close, and who acknowledges them;
 * - uptime: the seconds counted as up and down, and the reports about them;
 * - dispatching: from events to messages, and from the outbox to channels;
 * - retention: what is deleted because of its age.
 */
const AREAS: Readonly<Record<string, readonly string[]>> = {
  ingest: ["src/monitoring/ingest/*.ts"],
  heartbeat: ["src/monitoring/heartbeat/*.ts"],
  failures: [
    "src/monitoring/uptime/{downtime,acknowledge}*.ts",
    "src/monitoring/events/event-{log,failures}*.ts",
  ],
  uptime: ["src/monitoring/uptime/{availability,duration,excluded-time,intervals,range,uptime}*.ts"],
  dispatching: ["src/alerting/notifications/*.ts"],
  retention: ["src/monitoring/retention/*.ts", "src/monitoring/events/event-deletion*.ts"],
};
/**
 * Declarations of operations, what PostgreSQL alone runs, and in the folder of dispatching: the preview of a rule, the texts
 * of messages, and the list of messages that were sent. These have tests of their own.
 */
const NO_PART = [
  /\.(?:routes|schemas|queries|postgres)\.ts$/,
  /\/notifications\/(?:preview|simulation|message|deliveries\.service)\b/,
];

/** The files of an area with their texts. @throws when there is none */
function filesOf(root: string, globs: readonly string[]): { file: string; text: string }[] {
  const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]).sort();
  if (files.length === 0) throw new Error(`no file is ${globs}`);
  return files
    .filter((file) => !NO_PART.some((pattern) => pattern.test(file)))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}

/** An endless sequence of faults. The areas take turns, so that none is left out. No fault is repeated. */
export function* mutants(root: string, seed: number): Generator<Mutant> {
  const random = new Random(seed);
  const areas = Object.values(AREAS).map((globs) => filesOf(root, globs));
  const drawn = new Set<string>();
  for (let turn = 0; ; ) {
    const files = areas[turn % areas.length] ?? [];
    // Files that allow more changes are chosen more often.
    let left = random.below(files.reduce((sum, { text }) => sum + text.length, 0));
    const chosen = files.find(({ text }) => {
      left -= text.length;
      return left < 0;
    });
    const mutant = chosen ? mutate(chosen.file, chosen.text, random) : null;
    if (mutant === null || drawn.has(mutant.text)) continue;
    drawn.add(mutant.text);
    yield mutant;
    turn++;
  }
}
