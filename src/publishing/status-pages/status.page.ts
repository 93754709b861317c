/** The public status page. Plain HTML: no script, no inline style; everything is escaped. */
import { html } from "hono/html";
import { BEAT } from "../../monitoring/uptime/uptime.service.ts";
import { uptimeText } from "../../monitoring/uptime/uptime-text.ts";
import { htmlDocument } from "../../platform/http/page.ts";
import { MARKS, overallStatusOf, toneOf, WORDS } from "./overall-status.ts";
import { type PublicHost, type PublicNoteText, type PublicStatus, UPTIME_DAYS } from "./public-statuses.ts";

type Html = ReturnType<typeof html>;

/** Path below which the pages are served. */
export const PAGES_PATH = "/s";
export const STYLESHEET_PATH = `${PAGES_PATH}.css`;

function led(code: number): Html {
  const tone = toneOf(code);
  return html`<span class="led ${tone}" role="img" aria-label="${WORDS[tone]}">${MARKS[tone]}</span>`;
}

/** Text of a heartbeat bar, for those who cannot see it. */
function beatsText(beats: readonly number[]): string {
  const hours = (beat: number) => beats.filter((hourBeat) => hourBeat === beat).length / 2;
  const [failing, down] = [hours(BEAT.failing), hours(BEAT.down)];
  if (beats.every((beat) => beat === BEAT.excluded)) return "Last 24 hours: no data";
  if (failing + down === 0) return "Last 24 hours: no outage";
  return `Last 24 hours: down in ${down} h, degraded in ${failing} h`;
}

const BEAT_CLASSES: readonly string[] = ["none", "up", "failing", "down"];

/** The last 24 hours, a cell per half hour. Failing ones are higher, so that colour is not needed. */
function heartbeat(beats: readonly number[]): Html {
  return html`<svg class="beats" viewBox="0 0 ${beats.length * 5} 16" preserveAspectRatio="none" role="img" aria-label="${beatsText(beats)}">${beats.map(
    (beat, i) => {
      const height = beat >= BEAT.failing ? 16 : 10;
      return html`<rect class="${BEAT_CLASSES[beat]}" x="${i * 5}" y="${(16 - height) / 2}" width="4" height="${height}"/>`;
    },
  )}</svg>`;
}

/** A name with its own writing direction, which does not affect the text beside it. */
const isolated = (name: string): Html => html`<bdi>${name}</bdi>`;

/** Maintenance or acknowledgement, after the state. */
const handledSpan = (handled: string): Html =>
  handled === "" ? html`` : html` <span class="handled">${handled}</span>`;

/** What people said, each with its host and time. */
function noteList(notes: readonly PublicNoteText[]): Html {
  if (notes.length === 0) return html``;
  return html`<ul class="said">${notes.map(({ text, when, host: hostname, service, ended }) => {
    const names = [hostname, service].filter((name) => name !== "").map((name) => html`${isolated(name)} · `);
    const times = [when, ended && `resolved at ${ended}`].filter((time) => time !== "").join(" · ");
    return html`<li><p class="as-written">${text}</p><p class="note">${names}${times}</p></li>`;
  })}</ul>`;
}

/** What people said before, behind a summary. */
function earlierNotes(notes: readonly PublicNoteText[]): Html {
  if (notes.length === 0) return html``;
  return html`<details class="earlier"><summary>Earlier notes (${notes.length})</summary>${noteList(notes)}</details>`;
}

function host({ name, led: code, status, handled, uptime, beats, services }: PublicHost): Html {
  const past =
    uptime === null ? "" : html` <span class="uptime">${uptimeText(uptime)} up in ${UPTIME_DAYS} days</span>`;
  const line = html`${led(code)} <span class="name">${isolated(name)}</span> <span class="status">${status}${handledSpan(handled)}${past}</span>${heartbeat(beats)}`;
  if (services.length === 0) return html`<li><div class="line">${line}</div></li>`;
  // Hosts that need attention are expanded.
  const open = toneOf(code) === "red" || toneOf(code) === "orange";
  return html`<li><details ${open ? "open" : ""}><summary class="line">${line}</summary><ul>${services.map(
    (service) =>
      html`<li class="line">${led(service.led)} <span class="name">${isolated(service.name)}</span> <span class="status">${service.status}${handledSpan(service.handled)}</span></li>`,
  )}</ul></details></li>`;
}

function page(title: string, main: Html): string {
  const head = html`<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">`;
  return htmlDocument(title, head, html`<main>\n${main}\n</main>`);
}

/** The page for an unknown slug. @returns HTML */
export function noSuchPage(): string {
  return page(
    "Page not found",
    html`<h1>Page not found</h1>
<p class="note">It may have been removed, or the address is not complete. Ask the person who gave it to you.</p>`,
  );
}

/** The page of a status. @param renews whether the browser refreshes it automatically @returns HTML */
export function statusPageHtml(status: PublicStatus, renews: boolean): string {
  const { title, hosts, total, notes, at, atText } = status;
  const { tone, text } = overallStatusOf(status);
  const omitted = total - hosts.length;
  return page(
    `${MARKS[tone]} ${title}`,
    html`<h1>${title}</h1>
<p class="standing ${tone}"><span aria-hidden="true">${MARKS[tone]}</span> ${text}</p>
${noteList(notes)}
${
  total === 0
    ? html`<p class="note">There are no hosts here yet.</p>`
    : html`<ul class="hosts">${hosts.map(host)}</ul>
<p class="note">Bars show the last 24 hours: green is up, orange is degraded, red is down.</p>`
}
${earlierNotes(status.earlierNotes)}
${omitted > 0 ? html`<p class="note">And ${omitted} more.</p>` : html``}
<p class="note">As of <time datetime="${new Date(at * 1000).toISOString()}">${atText}</time>. ${
      renews
        ? html`Auto-refreshes every minute · <a href="?renew=0">Pause</a>`
        : html`Auto-refresh is paused · <a href="?">Resume</a>`
    }</p>`,
  );
}
