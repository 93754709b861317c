import { withoutNul } from "../../platform/text.ts";
import type { Identity } from "../sign-in/external-users.service.ts";
import type { OidcOptions } from "./oidc-options.ts";
import type { Claims } from "./provider.ts";

const MAX_TEXT = 255;

function textIn(claims: Claims, name: string): string {
  const value = claims[name];
  if (typeof value !== "string") return "";
  return value
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed();
}

function isObject(value: unknown): value is Claims {
  return typeof value === "object" && value !== null;
}

function groupsIn(claims: Claims, name: string): unknown[] {
  const own = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const found =
    own ??
    name
      .split(".")
      .reduce<unknown>(
        (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
        claims,
      );
  return Array.isArray(found) ? found : [found];
}

/** The identity in a provider's claims; null when the user is not in the allowed group. */
export function identityOf(
  claims: Claims & { iss: string; sub: string },
  rules: Pick<OidcOptions, "groupsClaim" | "adminGroup" | "allowedGroup">,
): Identity | null {
  const groups = groupsIn(claims, rules.groupsClaim);
  if (rules.allowedGroup !== null && !groups.includes(rules.allowedGroup)) return null;
  const [wanted, fullname, email] = ["preferred_username", "name", "email"].map((name) =>
    textIn(claims, name),
  );
  return {
    subject: withoutNul(`${claims.iss}|${claims.sub}`),
    name: wanted || email || fullname || "user",
    fullname: fullname ?? "",
    email: email ?? "",
    admin: rules.adminGroup === null ? null : groups.includes(rules.adminGroup),
  };
}
