import { originOf } from "../net/web-url.ts";
import { equalInConstantTime } from "../secrets/equal.ts";
import type { AppContext, Arguments } from "./context.ts";
import { type ApiError, errors } from "./errors.ts";
import { changesState, type Operation } from "./operation.ts";

/** Name of the header, of the argument and of the session attribute that hold the token. */
export const CSRF_TOKEN = "CSRFToken";

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** The addresses that the browser reports for the site that caused a request, unless they are at `expected`. */
function otherSites(c: AppContext, expected: string): string[] {
  const reported = [c.req.header("Origin"), c.req.header("Referer")];
  return reported.filter((url) => url !== undefined && hostOf(url) !== hostOf(expected)) as string[];
}

/** Whether a browser reports that another site caused the request. Programs send no such headers. */
export function isForeign(c: AppContext): boolean {
  return (
    c.req.header("Sec-Fetch-Site") === "cross-site" || otherSites(c, originOf(c.get("clientInfo"))).length > 0
  );
}

/**
 * The error for a request that another site seems to have caused. It names both addresses unless the browser itself
 * says that the request is cross-site: then the base URL may be wrong, or a proxy may not pass on the host.
 */
export function foreignRequest(c: AppContext): ApiError {
  const expected = originOf(c.get("clientInfo"));
  const other = otherSites(c, expected).find((url) => hostOf(url) !== null);
  if (c.req.header("Sec-Fetch-Site") === "cross-site" || other === undefined) return errors.foreignOrigin();
  return errors.foreignOrigin(
    `Requests from another site are refused: this one is from ${new URL(other).origin}, and Muster is at ${expected} by its base URL or the headers of a proxy`,
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
    if (isForeign(c)) throw foreignRequest(c);
    return;
  }
  const session = c.get("caller")?.session;
  // Browsers never attach an API token on their own, so a call with one cannot be forged.
  if (!session) return;
  if (c.req.method === "GET") {
    // Browsers send the cookie with requests from sibling hosts too, and GET requests carry no CSRF token.
    if (isForeign(c) || c.req.header("Sec-Fetch-Site") === "same-site") throw foreignRequest(c);
    return;
  }
  if (!session.csrfProtection) return;
  const asArgument = operation.body === "form" ? args.get(CSRF_TOKEN)?.at(-1) : undefined;
  const token = c.req.header(CSRF_TOKEN) ?? asArgument ?? "";
  if (!equalInConstantTime(token, session.csrfToken)) throw errors.csrfToken();
}
