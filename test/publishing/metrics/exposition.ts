/** A strict reader of the Prometheus text format, for tests. */

export interface ReadFamily {
  help: string;
  type: string;
  /** Value by labels, as they stand between the braces. */
  samples: Map<string, number>;
}

const LABELS = /^(?:[a-z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,(?=[a-z])|$))*$/i;

/** Families by name. @throws for anything outside the format, and for a family or series that occurs twice */
export function readExposition(text: string): Map<string, ReadFamily> {
  if (!text.endsWith("\n") && text !== "") throw new Error("the last line does not end");
  const families = new Map<string, ReadFamily>();
  let name = "";
  let current: ReadFamily | null = null;
  let help = "";
  for (const line of text.split("\n").slice(0, -1)) {
    const [, kind, about = "", rest = ""] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (families.has(about)) throw new Error(`${about} comes twice`);
      [name, help, current] = [about, rest, null];
    } else if (kind === "TYPE") {
      if (about !== name || current) throw new Error(`TYPE out of place: ${line}`);
      current = { help, type: rest, samples: new Map() };
      families.set(name, current);
    } else {
      const [, of, labels = "", value = ""] = /^(\w+)(?:\{(.+)\})? (\S+)$/.exec(line) ?? [];
      const isOurs = of === name || (current?.type === "histogram" && of?.startsWith(name));
      if (!current || !isOurs || !LABELS.test(labels) || Number.isNaN(Number(value)))
        throw new Error(`wrong line: ${line}`);
      const key = of === name ? labels : `${of} ${labels}`;
      if (current.samples.has(key)) throw new Error(`${line} comes twice`);
      current.samples.set(key, Number(value));
    }
  }
  return families;
}
