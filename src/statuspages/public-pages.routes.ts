import { Hono } from "hono";
import type { AppContext, AppEnv } from "../http/context.ts";
import { errors } from "../http/errors.ts";
import { badge } from "./badge.ts";
import { standingOf, toneOf } from "./standing.ts";
import stylesheet from "./status.css" with { type: "text" };
import { STYLESHEET_PATH, statusPage } from "./status.page.ts";
import { PAGES_PATH, type StatusPages } from "./statuspages.service.ts";

/** Nobody who is not given the address shall come upon it: not by a search engine, and not by a link's referrer. */
const PRIVATE_ADDRESS = { "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" };
const SHORTLY = "public, max-age=10";

function picture(c: AppContext, pages: StatusPages): Response {
  const status = pages.show(c.req.param("slug") ?? "");
  const wanted = c.req.query("host");
  const host = status.hosts.find(({ name }) => name === wanted);
  if (wanted !== undefined && !host) throw errors.noSuchPath();
  const { tone, text } = host ? { tone: toneOf(host.led), text: host.status } : standingOf(status);
  return c.body(badge(host?.name ?? status.title, tone, text), 200, {
    "Content-Type": "image/svg+xml; charset=utf-8",
    "Cache-Control": SHORTLY,
    // A badge is made to be shown on other sites.
    "Cross-Origin-Resource-Policy": "cross-origin",
    ...PRIVATE_ADDRESS,
  });
}

/** `GET /s/<slug>` and `/s/<slug>/badge.svg`, for everyone. */
export function publicPageRoutes(pages: StatusPages): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get(STYLESHEET_PATH, (c) =>
    c.body(stylesheet, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "no-cache" }),
  );
  routes.get(`${PAGES_PATH}/:slug`, (c) =>
    c.body(statusPage(pages.show(c.req.param("slug"))), 200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": SHORTLY,
      ...PRIVATE_ADDRESS,
    }),
  );
  routes.get(`${PAGES_PATH}/:slug/badge.svg`, (c) => picture(c, pages));
  for (const path of [STYLESHEET_PATH, `${PAGES_PATH}/:slug`, `${PAGES_PATH}/:slug/badge.svg`])
    routes.all(path, () => {
      throw errors.methodNotAllowed(["GET"]);
    });
  routes.all(`${PAGES_PATH}/*`, () => {
    throw errors.noSuchPath();
  });
  return routes;
}
