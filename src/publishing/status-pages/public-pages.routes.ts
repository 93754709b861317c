import { Hono } from "hono";
import type { AppContext, AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { getOnly } from "../../platform/http/mount.ts";
import { PRIVATE_ADDRESS } from "../../platform/http/page.ts";
import type { PageStyle } from "../../platform/http/page-style.ts";
import { badge } from "./badge.ts";
import stylesheet from "./status.css" with { type: "text" };
import { noSuchPage, PAGES_PATH, STYLESHEET_PATH } from "./status.page.ts";
import type { StatusPages } from "./status-pages.service.ts";

const SHORTLY = "public, max-age=10";
/** Refresh interval of the page in the browser, seconds. */
const RENEW_SECONDS = 60;

async function picture(c: AppContext, pages: StatusPages): Promise<Response> {
  const page = await pages.show(c.req.param("slug") ?? "", true);
  const hostName = c.req.query("host");
  const state = hostName === undefined ? page?.overall : page?.hosts.find(({ name }) => name === hostName);
  if (!state) throw errors.noSuchPath();
  return c.body(badge(state.name, state.tone, state.text), 200, {
    "Content-Type": "image/svg+xml; charset=utf-8",
    "Cache-Control": SHORTLY,
    // Badges are meant to be embedded in other sites.
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...PRIVATE_ADDRESS,
  });
}

/** `GET /s/<slug>` and `/s/<slug>/badge.svg`, without authentication. */
export function publicPageRoutes(pages: StatusPages, style: PageStyle): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  getOnly(routes, STYLESHEET_PATH, style.sheet(stylesheet));
  getOnly(routes, `${PAGES_PATH}/:slug`, async (c) => {
    const renews = c.req.query("renew") !== "0";
    const page = await pages.show(c.req.param("slug") ?? "", renews);
    const html = { "Content-Type": "text/html; charset=utf-8", ...style.headers };
    if (!page) return c.body(noSuchPage(), 404, { ...html, "Cache-Control": "no-store", ...PRIVATE_ADDRESS });
    return c.body(page.html, 200, {
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
