import { Hono } from "hono";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { pageStyle } from "../../platform/http/page.ts";
import { badge } from "./badge.ts";
import { overallStatusOf, toneOf } from "./overall-status.ts";
import stylesheet from "./status.css" with { type: "text" };
import { noSuchPage, STYLESHEET_PATH, statusPage } from "./status.page.ts";
import { PAGES_PATH, type PublicStatus, type StatusPages } from "./status-pages.service.ts";

/** Keeps the address private: no search engine indexes it, and no link passes it on as a referrer. */
const PRIVATE_ADDRESS = { "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" };
const SHORTLY = "public, max-age=10";
/** Refresh interval of the page in the browser, seconds. */
const RENEW_SECONDS = 60;

/** Renders a status as HTML, once for each status object. */
function writtenOnce(renews: boolean): (status: PublicStatus) => string {
  const written = new WeakMap<PublicStatus, string>();
  return (status) => {
    const page = written.get(status) ?? statusPage(status, renews);
    written.set(status, page);
    return page;
  };
}

function picture(c: AppContext, pages: StatusPages): Response {
  const status = pages.show(c.req.param("slug") ?? "");
  const wanted = c.req.query("host");
  const host = status?.hosts.find(({ name }) => name === wanted);
  if (!status || (wanted !== undefined && !host)) throw errors.noSuchPath();
  const { tone, text } = host ? { tone: toneOf(host.led), text: host.status } : overallStatusOf(status);
  return c.body(badge(host?.name ?? status.title, tone, text), 200, {
    "Content-Type": "image/svg+xml; charset=utf-8",
    "Cache-Control": SHORTLY,
    // Badges are meant to be embedded in other sites.
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...PRIVATE_ADDRESS,
  });
}

/** `GET /s/<slug>` and `/s/<slug>/badge.svg`, without authentication. */
export function publicPageRoutes(pages: StatusPages): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const [renewing, still] = [writtenOnce(true), writtenOnce(false)];
  getOnly(routes, STYLESHEET_PATH, (c) =>
    c.body(pageStyle(stylesheet), 200, {
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": "no-cache",
    }),
  );
  getOnly(routes, `${PAGES_PATH}/:slug`, (c) => {
    const renews = c.req.query("renew") !== "0";
    const status = pages.show(c.req.param("slug") ?? "");
    const html = { "Content-Type": "text/html; charset=utf-8" };
    if (!status)
      return c.body(noSuchPage(), 404, { ...html, "Cache-Control": "no-store", ...PRIVATE_ADDRESS });
    return c.body((renews ? renewing : still)(status), 200, {
      ...html,
      "Cache-Control": SHORTLY,
      ...(renews && { Refresh: String(RENEW_SECONDS) }),
      ...PRIVATE_ADDRESS,
    });
  });
  getOnly(routes, `${PAGES_PATH}/:slug/badge.svg`, (c) => picture(c, pages));
  routes.all(`${PAGES_PATH}/*`, () => {
    throw errors.noSuchPath();
  });
  return routes;
}
