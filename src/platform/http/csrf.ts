import { equalInConstantTime } from "../secrets/equal.ts";
import type { AppContext, Arguments } from "./context.ts";
import { errors } from "./errors.ts";
import { changesState, type Operation } from "./operation.ts";

/** Name of the header, of the argument and of the session attribute that hold the token. */
export const CSRF_TOKEN = "CSRFToken";

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** Whether a browser reports that another site caused the request. Programs send no such headers. */
export function isForeign(c: AppContext): boolean {
  if (c.req.header("Sec-Fetch-Site") === "cross-site") return true;
  const { host, secure } = c.get("clientInfo");
  const expected = hostOf(`${secure ? "https" : "http"}://${host}`);
  const origin = c.req.header("Origin");
  const referer = c.req.header("Referer");
  return (
    (origin !== undefined && hostOf(origin) !== expected) ||
    (referer !== undefined && hostOf(referer) !== expected)
  );
}

/**
 * Rejects a state-changing call that another site could have forged. JSON has the token in the header alone; a form or
 * query may have it as an argument.
 * @throws ApiError 403
 */
export function checkCsrf(operation: Operation, c: AppContext, args: Arguments): void {
  if (!changesState(operation.kind)) return;
  if (operation.access === "public") {
    if (isForeign(c)) throw errors.foreignOrigin();
    return;
  }
  const session = c.get("caller")?.session;
  // Browsers never attach an API token on their own, so a call with one cannot be forged.
  if (!session) return;
  if (c.req.method === "GET") {
    // Browsers send the cookie with requests from sibling hosts too, and GET requests carry no CSRF token.
    if (isForeign(c) || c.req.header("Sec-Fetch-Site") === "same-site") throw errors.foreignOrigin();
    return;
  }
  if (!session.csrfProtection) return;
  const asArgument = operation.body === "form" ? args.get(CSRF_TOKEN)?.at(-1) : undefined;
  const token = c.req.header(CSRF_TOKEN) ?? asArgument ?? "";
  if (!equalInConstantTime(token, session.csrfToken)) throw errors.csrfToken();
}
