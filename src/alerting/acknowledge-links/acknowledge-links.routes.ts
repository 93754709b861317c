import { Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { getOnly, serveOnly } from "../../platform/http/mount.ts";
import stylesheet from "../../platform/http/page.css" with { type: "text" };
import { escaped, htmlReply, PRIVATE_ADDRESS } from "../../platform/http/page.ts";
import type { PageStyle } from "../../platform/http/page-style.ts";
import { line } from "../notifications/message-text.ts";
import { type AcknowledgeLinks, LINKS_PATH, type LinkState } from "./acknowledge-links.service.ts";

const STYLESHEET = `${LINKS_PATH}/page.css`;
const HEAD = `<link rel="stylesheet" href="${STYLESHEET}">\n<link rel="icon" href="data:,">`;
/** Failures listed on the page, and the longest text of each, characters. */
const LISTED = 50;
const MAX_TEXT = 300;

const PAGES: Readonly<Record<LinkState["state"], [status: ContentfulStatusCode, text: string]>> = {
  open: [200, "You are about to acknowledge:"],
  acknowledged: [200, "Acknowledged. There are no more reminders while it lasts:"],
  used: [410, "This link has been used. The problem was acknowledged."],
  expired: [410, "This link is older than a day. Acknowledge the problem in Muster."],
  over: [410, "There is nothing to acknowledge: the problem is resolved."],
  throttled: [429, "Too many links that do not exist were tried from here. Try again later."],
  unknown: [404, "There is no such link."],
};

/** The texts about rehearsals, in place of those in `PAGES`. */
const OF_REHEARSAL: Readonly<Partial<Record<LinkState["state"], string>>> = {
  open: "This is a rehearsal. You are about to acknowledge:",
  acknowledged: "Acknowledged. You would have noticed a problem:",
  used: "This link has been used. The rehearsal was acknowledged.",
  expired: "This link is older than a day. The rehearsal is over.",
  over: "There is nothing to acknowledge: the rehearsal is over.",
};

/** The button posts to the address of the page itself. Mail scanners follow links, but press no buttons. */
const BUTTON = '<form method="post"><button type="submit">Acknowledge</button></form>';

function listOf(state: LinkState): string {
  if (!("failures" in state)) return "";
  const { failures } = state;
  const items = failures
    .slice(0, LISTED)
    .map(({ place, message }) => `<li>${escaped(line(`${place}: ${message}`, MAX_TEXT))}</li>`);
  const omitted = failures.length - items.length;
  return `\n<ul>\n${[...items, ...(omitted > 0 ? [`<li>and ${omitted} more</li>`] : [])].join("\n")}\n</ul>`;
}

function pageOf(c: AppContext, state: LinkState, style: PageStyle): Response {
  const [status, ofProblem] = PAGES[state.state];
  const isOfRehearsal = "subject" in state && state.subject === "rehearsal";
  const text = (isOfRehearsal ? OF_REHEARSAL[state.state] : undefined) ?? ofProblem;
  const button = state.state === "open" ? `\n${BUTTON}` : "";
  return htmlReply(c, `<p>${escaped(text)}</p>${listOf(state)}${button}`, {
    status,
    headers: { ...PRIVATE_ADDRESS, ...style.headers },
    head: HEAD,
  });
}

/** `GET` and `POST /acknowledge/<token>`, without authentication: the token stands for one message. */
export function acknowledgeLinkRoutes(links: AcknowledgeLinks, style: PageStyle): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, STYLESHEET, style.sheet(stylesheet));
  serveOnly(["GET", "POST"], routes, `${LINKS_PATH}/:token`, (c) => {
    const { address } = c.get("clientInfo");
    const token = c.req.param("token") ?? "";
    const state = c.req.method === "POST" ? links.use(token, address) : links.look(token, address);
    return pageOf(c, state, style);
  });
  return routes;
}
