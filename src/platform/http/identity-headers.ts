/** Headers in which a proxy names the user it authenticated. Read them only from a trusted proxy. */
import type { ExternalUser } from "./context.ts";

export interface IdentityHeaders {
  user: string;
  /** Header with comma-separated groups; null when groups are not configured. */
  groups: string | null;
}

/** No comma: it joins a header sent twice, one of them by the client, so neither can be trusted. */
const USER_NAME = /^[^\p{Cc},]{1,255}$/u;

/** The user whom the headers name; null unless it is one. @param header reads one by lower-case name */
export function externalUserFrom(
  { user, groups }: IdentityHeaders,
  header: (name: string) => string | undefined,
): ExternalUser | null {
  const uname = header(user.toLowerCase())?.trim() ?? "";
  if (!USER_NAME.test(uname)) return null;
  const given = groups === null ? null : (header(groups.toLowerCase()) ?? "").split(",");
  return { uname, groups: given?.map((group) => group.trim()).filter(Boolean) ?? null };
}
