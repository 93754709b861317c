/** The content of a report as sections of sentences and tables, for the mail and the page of the UI. Pure. */
import { durationText } from "../../monitoring/uptime/duration.ts";
import { uptimeText, wholePercent } from "../../monitoring/uptime/uptime-text.ts";
import { zonedParts } from "../../platform/date-text.ts";
import { counted } from "../../platform/text.ts";
import type { ForgottenKind } from "../forgotten/forgotten.schemas.ts";
import type { ReportFigures } from "./figures.schemas.ts";

/** A cell of a table. Texts come from agents in part. */
export interface Cell {
  text: string;
  /** A second line, in smaller letters. */
  detail?: string;
  tone?: "good" | "bad";
}

/** A part of a report: sentences and a table under a title. */
export interface ReportSection {
  title: string;
  /** Sentences above the table. */
  notes: readonly string[];
  /** The first column holds text, the others hold numbers. */
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

const FULL_OF: Readonly<Record<number, string>> = { 4: "memory", 18: "space", 21: "inodes" };

const plain = (text: string | number): Cell => ({ text: String(text) });

/** Whether there is a previous period to compare with. */
function hasBefore({ total }: ReportFigures): boolean {
  return total.uptimebefore !== null;
}

/** The figure of the previous period, unless both are zero. */
function beforeNotes(figures: ReportFigures, n: number, before: number, word: string): string[] {
  return hasBefore(figures) && n + before > 0 ? [`Previous period: ${counted(before, word)}.`] : [];
}

type UptimeFigures = Pick<ReportFigures["total"], "uptime" | "uptimebefore" | "down" | "budget">;

/** An uptime, compared with that of the previous period. */
function uptimeCell(
  { uptime, uptimebefore: before }: Pick<UptimeFigures, "uptime" | "uptimebefore">,
  target: number,
): Cell {
  const detail = before === null ? {} : { detail: `previously ${uptimeText(before)}` };
  if (uptime === null) return { ...plain("-"), ...detail };
  return { text: uptimeText(uptime), ...detail, tone: uptime >= target ? "good" : "bad" };
}

/** The rest of the error budget, or by how much it was exceeded. */
function leftCell({ uptime, down, budget }: Omit<UptimeFigures, "uptimebefore">): Cell {
  if (uptime === null) return plain("-");
  return down <= budget
    ? { text: durationText(budget - down), tone: "good" }
    : { text: `over by ${durationText(down - budget)}`, tone: "bad" };
}

function placeCell({
  hostname,
  servicename,
  failure,
}: {
  hostname: string;
  servicename: string;
  failure: string;
}): Cell {
  // A host without reports is not a failure of a service.
  const text = failure === "No report" ? hostname : `${servicename} on ${hostname}`;
  return { text, detail: failure };
}

function uptimeSection({ total, groups, target }: ReportFigures): ReportSection {
  const { hosts, uptime, down, budget } = total;
  const usedShare = budget === 0 ? "" : ` (${wholePercent((100 * down) / budget)}%)`;
  const notes =
    uptime === null
      ? ["No time was counted for any host in this period."]
      : [
          `Error budget: ${durationText(down)}${usedShare} of ${durationText(budget)} used, by ${counted(hosts, "host")}${hosts === 1 ? "" : " together"}.`,
        ];
  const row = (name: string, figures: ReportFigures["total"], rowTarget: number) => [
    {
      text: name,
      detail: `${counted(figures.hosts, "host")}${rowTarget === target ? "" : `, target ${uptimeText(rowTarget)}`}`,
    },
    uptimeCell(figures, rowTarget),
    plain(durationText(figures.down)),
    leftCell(figures),
  ];
  return {
    title: `Uptime, target ${uptimeText(target)}`,
    notes,
    columns: ["Group", "Uptime", "Down", "Budget left"],
    rows: [row("All hosts", total, target), ...groups.map((group) => row(group.name, group, group.target))],
  };
}

function worstSection({ worst, target }: ReportFigures): ReportSection {
  return {
    title: "Worst hosts",
    notes: worst.length === 0 ? ["No host was down, and nothing failed."] : [],
    columns: ["Host", "Uptime", "Down", "Failures"],
    rows: worst.map((host) => [
      plain(host.hostname),
      uptimeCell(host, target),
      plain(durationText(host.down)),
      plain(host.failures),
    ]),
  };
}

function failureSection(figures: ReportFigures): ReportSection {
  const { failures, failuretotal, failuretotalbefore } = figures;
  const total = failuretotal === 0 ? "Nothing failed." : `${counted(failuretotal, "failure")} in all.`;
  return {
    title: "Most frequent failures",
    notes: [total, ...beforeNotes(figures, failuretotal, failuretotalbefore, "failure")],
    columns: ["Check", "Times", "Lasted"],
    rows: failures.map((failure) => [
      placeCell(failure),
      {
        text: String(failure.times),
        ...(hasBefore(figures) && { detail: `previously ${failure.timesbefore}` }),
      },
      plain(durationText(failure.seconds)),
    ]),
  };
}

/** "5 checks sent 80% of 123 messages; nobody acted on 4 of them." */
export function noiseSentence({ messages, noise }: Pick<ReportFigures, "messages" | "noise">): string {
  if (messages === 0) return "No messages were sent.";
  const share = Math.round(noise.reduce((sum, row) => sum + row.share, 0));
  const ignored = noise.filter(({ acted }) => !acted).length;
  const sent = `${counted(noise.length, "check")} sent ${share}% of ${counted(messages, "message")}`;
  if (ignored === 0) return `${sent}.`;
  if (noise.length === 1) return `${sent}; nobody acted on it.`;
  return `${sent}; nobody acted on ${ignored === noise.length ? "any" : ignored} of them.`;
}

function noiseSection(figures: ReportFigures): ReportSection {
  return {
    title: "Noise",
    notes: [
      noiseSentence(figures),
      ...beforeNotes(figures, figures.messages, figures.messagesbefore, "message"),
    ],
    columns: ["Check", "Messages", "Share", "Acted on"],
    rows: figures.noise.map((row) => [
      placeCell(row),
      plain(row.messages),
      plain(`${Math.round(row.share)}%`),
      row.acted ? plain("yes") : { text: "no", tone: "bad" },
    ]),
  };
}

function forecastSection({ forecasts }: ReportFigures): ReportSection {
  return {
    title: "Full within 30 days",
    notes: forecasts.length === 0 ? ["Nothing expected."] : [],
    columns: ["What", "Usage", "Full in"],
    rows: forecasts.map(({ hostname, servicename, type, usage, days }) => [
      { text: `${servicename} on ${hostname}`, detail: FULL_OF[type] ?? "usage" },
      plain(`${wholePercent(usage)}%`),
      plain(days < 1 ? "less than a day" : counted(Math.floor(days), "day")),
    ]),
  };
}

const FORGOTTEN: Readonly<Record<ForgottenKind, { noun: string; did: string }>> = {
  acknowledgement: { noun: "acknowledgement", did: "acknowledged" },
  mute: { noun: "mute", did: "muted" },
  host: { noun: "ignored host", did: "ignored" },
  rule: { noun: "disabled rule", did: "disabled" },
};

/** "2 acknowledgements, 1 mute"; "" if there is nothing. */
function totalsText(totals: NonNullable<ReportFigures["forgotten"]>["totals"]): string {
  return Object.entries(FORGOTTEN)
    .map(([kind, { noun }]) => ({ n: totals[kind as ForgottenKind], noun }))
    .filter(({ n }) => n > 0)
    .map(({ n, noun }) => counted(n, noun))
    .join(", ");
}

function forgottenSections({ forgotten, timezone }: ReportFigures): ReportSection[] {
  if (forgotten === null || forgotten.days === 0) return [];
  const { days, totals, records } = forgotten;
  const text = totalsText(totals);
  const age = `for more than ${counted(days, "day")}`;
  return [
    {
      title: "Possibly forgotten",
      notes: [
        text === "" ? `Nothing has been acknowledged, muted, ignored or disabled ${age}.` : `${text} ${age}.`,
      ],
      columns: ["What", "Since"],
      rows: records.map(({ kind, name, uname, note, since }) => [
        {
          text: name || "A mute",
          detail: `${FORGOTTEN[kind].did}${uname && ` by ${uname}`}${note && `: ${note}`}`,
        },
        plain(zonedParts(since, timezone).date),
      ]),
    },
  ];
}

/** The sections of a report, in their order. */
export function sectionsOf(figures: ReportFigures): ReportSection[] {
  const sections = [uptimeSection, worstSection, failureSection, noiseSection, forecastSection];
  return [...sections.map((make) => make(figures)), ...forgottenSections(figures)];
}
