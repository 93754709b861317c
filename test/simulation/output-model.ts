/** Program output, and which of its changes are reported: `reports/events/changes` in docs/api.md. */
import type { HostModel, Report } from "../monitoring/uptime/uptime-model.ts";

const HOUR = 3600;
/** For a program whose output changes more often. */
const MOST_AN_HOUR = 5;
const IGNORED = 2;

/** A change as reported, with the lines from the first to the last that differ. */
export interface OutputChange {
  service: string;
  /** Unix seconds. */
  date: number;
  before: string;
  after: string;
}

interface Printed {
  /** Last output, by service. */
  last: Map<string, string>;
  changes: OutputChange[];
}

export class OutputModel {
  readonly #hosts = new WeakMap<HostModel, Printed>();

  /** Called when a message was stored at `at`. */
  receive(host: HostModel, { services }: Report, at: number): void {
    const printed: Printed = this.#hosts.get(host) ?? { last: new Map(), changes: [] };
    this.#hosts.set(host, printed);
    for (const { name, output, collectedSec } of services) {
      if (output === undefined) continue;
      const before = printed.last.get(name);
      printed.last.set(name, output);
      if (before === undefined || before === output || host.status === IGNORED) continue;
      const date = Math.min(collectedSec + host.clockOffset, at);
      const recent = printed.changes.filter((change) => change.service === name && change.date > date - HOUR);
      if (recent.length < MOST_AN_HOUR)
        printed.changes.push({ service: name, date, ...differing(before, output) });
    }
  }

  changesOf(host: HostModel): readonly OutputChange[] {
    return this.#hosts.get(host)?.changes ?? [];
  }
}

/** Compares outputs with equally many lines. */
function differing(before: string, after: string): { before: string; after: string } {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const isOther = (line: string, i: number) => line !== now[i];
  const [first, last] = [old.findIndex(isOther), old.findLastIndex(isOther)];
  const excerpt = (lines: string[]) => lines.slice(first, last + 1).join("\n");
  return { before: excerpt(old), after: excerpt(now) };
}
