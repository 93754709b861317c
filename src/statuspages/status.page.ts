/** A status page as strangers see it. Plain HTML: no script, no inline style; everything is escaped. */
import { html } from "hono/html";
import { dateText } from "../status/health.ts";
import { markOf, standingOf, toneOf, wordOf } from "./standing.ts";
import { PAGES_PATH, type PublicHost, type PublicStatus } from "./statuspages.service.ts";

type Html = ReturnType<typeof html>;

/** How often a browser asks again, seconds. */
const REFRESH_SECONDS = 60;
export const STYLESHEET_PATH = `${PAGES_PATH}.css`;

function led(code: number): Html {
  const tone = toneOf(code);
  return html`<span class="led ${tone}" role="img" aria-label="${wordOf(tone)}">${markOf(tone)}</span>`;
}

function host({ name, led: code, status, services }: PublicHost): Html {
  const line = html`${led(code)} <span class="name">${name}</span> <span class="status">${status}</span>`;
  if (services.length === 0) return html`<li><div class="line">${line}</div></li>`;
  // What needs attention is open to the eye at once.
  const open = toneOf(code) === "red" || toneOf(code) === "orange";
  return html`<li><details ${open ? "open" : ""}><summary class="line">${line}</summary><ul>${services.map(
    (service) =>
      html`<li class="line">${led(service.led)} <span class="name">${service.name}</span> <span class="status">${service.status}</span></li>`,
  )}</ul></details></li>`;
}

/** @returns the page as HTML */
export function statusPage(status: PublicStatus): string {
  const { title, hosts, total, at } = status;
  const { tone, text } = standingOf(status);
  const more = total - hosts.length;
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<title>${markOf(tone)} ${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<main>
<h1>${title}</h1>
<p class="standing ${tone}"><span aria-hidden="true">${markOf(tone)}</span> ${text}</p>
${
  total === 0
    ? html`<p class="note">There are no hosts here yet.</p>`
    : html`<ul class="hosts">${hosts.map(host)}</ul>`
}
${more > 0 ? html`<p class="note">And ${more} more.</p>` : html``}
<p class="note">As of <time datetime="${new Date(at * 1000).toISOString()}">${dateText(at)}</time>. This page renews itself every minute.</p>
</main>
</body>
</html>
`);
}
