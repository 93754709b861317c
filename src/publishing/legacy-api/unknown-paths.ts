/** Unknown paths of the legacy API. No UI page has such a path, so none is shadowed. */
import type { Hono } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";

/** First path segments of the legacy API. For a program, a 404 is better than a page of the UI. */
export const LEGACY_FAMILIES = [
  "action",
  "admin",
  "json",
  "login",
  "map",
  "reports",
  "session",
  "status",
  "uploads",
] as const;

/** Answers 404 below these paths, for every method. Register it after everything that is served there. */
export function rejectUnknownPaths(app: Hono<AppEnv>): void {
  // The pattern matches the bare first segment too.
  for (const family of LEGACY_FAMILIES)
    app.all(`/${family}/*`, () => {
      throw errors.noSuchPath();
    });
}
