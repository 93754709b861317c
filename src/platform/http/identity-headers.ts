/** Headers in which a proxy says whom it has signed in. Only a trusted proxy may be asked. */
import type { ExternalUser } from "./context.ts";

export interface IdentityHeaders {
  user: string;
  /** Comma-separated; null where groups do not matter. */
  groups: string | null;
}

/** A header that came twice is joined by a comma: the proxy let one of the client through, and so says nothing. */
const USER_NAME = /^[^\p{Cc},]{1,255}$/u;

/**
 * @param header of the request; names are in lower case
 * @returns null when there is no such header, or none that names one user
 */
export function externalUserFrom(
  { user, groups }: IdentityHeaders,
  header: (name: string) => string | undefined,
): ExternalUser | null {
  const uname = header(user.toLowerCase())?.trim() ?? "";
  if (!USER_NAME.test(uname)) return null;
  const given = groups === null ? null : (header(groups.toLowerCase()) ?? "").split(",");
  return { uname, groups: given?.map((group) => group.trim()).filter(Boolean) ?? null };
}
