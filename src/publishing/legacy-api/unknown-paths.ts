/** Paths of the legacy API that lead nowhere. The pages of the UI keep off its families, so none is shadowed. */
import type { Hono } from "hono";
import type { AppEnv } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";

/** First parts of the paths. A program that asks below them wants no page of the UI. */
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

/** Answers 404 below the families, whatever the method. Comes after all that is served there. */
export function refuseUnknownPaths(app: Hono<AppEnv>): void {
  // The pattern stands for the family's own path too.
  for (const family of LEGACY_FAMILIES)
    app.all(`/${family}/*`, () => {
      throw errors.noSuchPath();
    });
}
