/**
 * The mail of a report: its subject, its text, and HTML that mail programs show. Pure. The HTML has tables with
 * inline styles, no scripts, and loads nothing.
 */
import { uptimeText } from "../../monitoring/uptime/uptime-text.ts";
import { escaped } from "../../platform/http/page.ts";
import { cut } from "../../platform/text.ts";
import { line } from "../notifications/message-text.ts";
import type { ReportFigures } from "./figures.schemas.ts";
import type { ReportPeriod } from "./period.ts";
import { type Cell, type ReportSection, sectionsOf } from "./sections.ts";

const MAX_TITLE = 200;
/** Longest text of a cell, characters. Texts of agents are bounded, but can be long. */
const MAX_CELL = 160;

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const COLOUR = { good: "#1a7f37", bad: "#b42318" } as const;
const [INK, MUTED, RULE, PAPER, DESK] = ["#1f2328", "#59636e", "#d1d9e0", "#ffffff", "#f0f2f5"];

/** For mail programs that support it; the others show the light colours on their own backgrounds. */
const DARK = `@media (prefers-color-scheme: dark) {
  .desk { background: #0d1117 !important; }
  .paper { background: #161b22 !important; color: #e6edf3 !important; border-color: #30363d !important; }
  .ink { color: #e6edf3 !important; }
  .muted { color: #9198a1 !important; }
  .cell { border-color: #30363d !important; }
  .good { color: #3fb950 !important; }
  .bad { color: #ff7b72 !important; }
  .link { color: #58a6ff !important; }
}`;

/** The content of the mail of a report to one recipient. */
export interface ReportMail {
  name: string;
  period: ReportPeriod;
  figures: ReportFigures;
  /**
   * The page with these figures; null if Muster's address is not configured, or for a recipient without an account.
   */
  url: string | null;
  /** Whether it goes to an address without an account, and so covers all hosts of the report. */
  isToAddress: boolean;
}

const NAMES: Readonly<Record<ReportPeriod, string>> = {
  daily: "Daily",
  weekly: "Weekly",
  monthly: "Monthly",
};

/** The subject. The dates tell the period, unless the name already does. */
function titleOf({ name, figures }: ReportMail): string {
  const { uptime } = figures.total;
  const result = uptime === null ? "no time counted" : `uptime ${uptimeText(uptime)}`;
  return cut(`${line(name, 100)}: ${result}, ${figures.days}`, MAX_TITLE);
}

function whenOf({ figures: { days, timezone } }: ReportMail): string {
  return `${days} (${timezone})`;
}

function aboutText({ isToAddress }: ReportMail): string {
  return isToAddress
    ? "The figures cover all hosts in the report."
    : "The figures cover the hosts in the report that you can see.";
}

const cellText = (text: string) => escaped(line(text, MAX_CELL));

function cellHtml({ text, detail, tone }: Cell, index: number): string {
  const align = index === 0 ? "left" : "right";
  const style = [
    `padding:6px ${index === 0 ? "12px 6px 0" : "0 6px 12px"}`,
    `border-top:1px solid ${RULE}`,
    `text-align:${align}`,
    "vertical-align:top",
    `color:${tone ? COLOUR[tone] : INK}`,
    index === 0 ? "word-break:break-word;overflow-wrap:anywhere" : "white-space:nowrap",
    ...(tone ? ["font-weight:600"] : []),
  ].join(";");
  const second = detail
    ? `<br><span class="muted" style="font-size:12px;color:${MUTED}">${cellText(detail)}</span>`
    : "";
  return `<td class="cell ${tone ?? "ink"}" style="${style}">${cellText(text)}${second}</td>`;
}

function headingHtml(label: string, index: number): string {
  const style = `padding:0 ${index === 0 ? "12px 6px 0" : "0 6px 12px"};font-size:12px;font-weight:400;white-space:nowrap;color:${MUTED};text-align:${index === 0 ? "left" : "right"}`;
  return `<th scope="col" class="muted" style="${style}">${escaped(label)}</th>`;
}

function tableHtml({ columns, rows }: ReportSection): string {
  if (rows.length === 0) return "";
  const head = `<tr>${columns.map(headingHtml).join("")}</tr>`;
  const body = rows.map((row) => `<tr>${row.map(cellHtml).join("")}</tr>`);
  return `<table width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse;font-size:14px;line-height:20px">
${[head, ...body].join("\n")}
</table>`;
}

function sectionHtml(section: ReportSection): string {
  const notes = section.notes.map(
    (note) => `<p class="ink" style="margin:0 0 10px;color:${INK}">${cellText(note)}</p>`,
  );
  return `<tr><td style="padding:20px 24px 4px;font-size:14px;line-height:20px;${FONT}">
<h2 class="ink" style="margin:0 0 8px;font-size:16px;line-height:24px;color:${INK}">${escaped(section.title)}</h2>
${[...notes, tableHtml(section)].join("\n")}
</td></tr>`;
}

function htmlOf(mail: ReportMail, title: string): string {
  const { name, period, figures, url } = mail;
  const about = aboutText(mail);
  const link = url
    ? `<p style="margin:8px 0 0"><a class="link" href="${escaped(url)}" style="color:#0969da">Open in Muster, or print</a></p>`
    : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(title)}</title>
<style>
${DARK}
</style>
</head>
<body class="desk" style="margin:0;padding:0;background:${DESK}">
<table class="desk" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:${DESK}">
<tr><td align="center" style="padding:16px 8px">
<table class="paper" role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:${PAPER};border:1px solid ${RULE};border-radius:8px;color:${INK};text-align:left">
<tr><td style="padding:24px 24px 4px;font-size:14px;line-height:20px;${FONT}">
<h1 class="ink" style="margin:0;font-size:20px;line-height:28px;color:${INK};overflow-wrap:anywhere">${cellText(name)}</h1>
<p class="muted" style="margin:0;color:${MUTED}">${NAMES[period]} report, ${escaped(whenOf(mail))}</p>
${link}
</td></tr>
${sectionsOf(figures).map(sectionHtml).join("\n")}
<tr><td class="muted" style="padding:20px 24px;font-size:12px;line-height:18px;color:${MUTED};${FONT}">Sent by Muster. ${about}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function rowText(columns: readonly string[], row: readonly Cell[]): string {
  const textOf = ({ text, detail }: Cell) =>
    `${line(text, MAX_CELL)}${detail ? ` (${line(detail, MAX_CELL)})` : ""}`;
  const [first = { text: "" }, ...rest] = row;
  const values = rest.map((cell, i) => `${(columns[i + 1] ?? "").toLowerCase()} ${textOf(cell)}`);
  return `- ${textOf(first)}: ${values.join(", ")}`;
}

function sectionText({ title, notes, columns, rows }: ReportSection): string {
  const heading = [title, "-".repeat(title.length)];
  return [...heading, ...notes, ...rows.map((row) => rowText(columns, row))].join("\n");
}

/** The mail for one recipient, with the figures of the hosts that they see. */
export function composeReport(mail: ReportMail): { title: string; text: string; html: string } {
  const title = titleOf(mail);
  const head = `${line(mail.name, MAX_CELL)}\n${NAMES[mail.period]} report, ${whenOf(mail)}`;
  return {
    title,
    text: [head, ...sectionsOf(mail.figures).map(sectionText), aboutText(mail)].join("\n\n"),
    html: htmlOf(mail, title),
  };
}
