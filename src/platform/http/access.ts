import { type AppContext, type Arguments, callerOf } from "./context.ts";
import { errors } from "./errors.ts";
import { changesState, isHostAccess, type Operation } from "./operation.ts";
import { isNothing } from "./scope.ts";

/**
 * Checks that the caller may call an operation at all.
 * @throws ApiError 401 without a caller, 403 if the caller's role, rights or API token are not enough
 */
export function checkAccess({ access, kind }: Operation, c: AppContext): void {
  if (access === "public") return;
  const caller = c.get("caller");
  if (!caller) throw errors.signInNeeded();
  if (access === "admin" && !caller.admin) throw errors.adminNeeded();
  if (isHostAccess(access) && isNothing(caller.rights[access])) throw errors.notGranted();
  if (!caller.token) return;
  if (access === "login") throw errors.loginNeeded();
  if (caller.token.scope === "read" && changesState(kind)) throw errors.tokenReadsOnly();
}

/** Enforces access "self". Naming another user is 403, whether they exist or not. @throws ApiError */
export function checkSelf({ access, kind }: Operation, c: AppContext, args: Arguments): void {
  if (access !== "self") return;
  const caller = callerOf(c);
  const isSelf = (args.get("uname")?.at(-1) ?? caller.uname) === caller.uname;
  if (!isSelf && !caller.admin) throw errors.adminNeeded();
  if (isSelf && caller.token && changesState(kind)) throw errors.loginNeeded();
}
