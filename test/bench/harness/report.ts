/** Renders the results as a Markdown page: a section per benchmark, and the missed targets first. */
import { type Figure, isMet, targetText, valueText } from "./figures.ts";
import type { Machine } from "./machine.ts";
import type { Results, Section } from "./results.ts";

export interface Described {
  title: string;
  /** What is measured and how. */
  about: string;
}

const INTRODUCTION = `# Results of the benchmarks

The latest result of each benchmark on this machine. The load generator and Muster share it.
`;

const cell = (text: string) => text.replaceAll("|", "\\|");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function machineText(machine: Machine): string {
  return table(
    ["Machine", ""],
    [
      ["CPU", `${machine.cores} × ${machine.cpu}`],
      ["Memory", `${machine.memoryGb} GB`],
      ["Kernel", machine.kernel],
      ["Muster", machine.muster],
      ["Bun", machine.bun],
      ["SQLite", machine.sqlite],
    ],
  );
}

const MET = { true: "yes", false: "**no**", null: "" } as const;

function figureRow(figure: Figure): string[] {
  return [figure.what, valueText(figure), targetText(figure), MET[`${isMet(figure)}`]];
}

/** What differs from the machine of the latest result, which heads the page. */
function otherwise(machine: Machine, common: Machine): string {
  const keys = Object.keys(machine) as (keyof Machine)[];
  return keys
    .filter((key) => machine[key] !== common[key])
    .map((key) => `, ${key} ${machine[key]}`)
    .join("");
}

function sectionText({ title, about }: Described, section: Section, common: Machine): string {
  const form = section.form === "long" ? "at full length" : "in short";
  return [
    `## ${title}`,
    `${about}\n\nMeasured ${form} on ${section.measuredOn}${otherwise(section.machine, common)}.`,
    table(["", "Measured", "Target", "Met"], section.figures.map(figureRow)),
  ].join("\n\n");
}

interface Miss {
  title: string;
  figure: Figure;
}

function missesText(misses: readonly Miss[], targets: number): string {
  const head = `## Targets\n\n${targets - misses.length} of ${targets} targets are met.`;
  if (misses.length === 0) return head;
  const lines = misses.map(
    ({ title, figure }) =>
      `- **${title}: ${figure.what}**: ${valueText(figure)} instead of ${targetText(figure)}.`,
  );
  return `${head} Missed:\n\n${lines.join("\n")}`;
}

/** @param described every benchmark, in the order of the page; a benchmark without a result is left out */
export function renderReport(results: Results, described: Readonly<Record<string, Described>>): string {
  const rows = Object.entries(described).flatMap(([name, description]) => {
    const section = results[name];
    return section ? [{ name, description, section }] : [];
  });
  const latest = rows.toSorted((a, b) => a.section.measuredOn.localeCompare(b.section.measuredOn)).at(-1);
  if (!latest) return INTRODUCTION;
  const { machine } = latest.section;
  const misses = rows.flatMap(({ description, section }) =>
    section.figures
      .filter((figure) => isMet(figure) === false)
      .map((figure) => ({ title: description.title, figure })),
  );
  const targets = rows.flatMap(({ section }) => section.figures.filter((figure) => figure.target)).length;
  const sections = rows.map(({ description, section }) => sectionText(description, section, machine));
  return `${[INTRODUCTION.trimEnd(), machineText(machine), missesText(misses, targets), ...sections].join("\n\n")}\n`;
}
