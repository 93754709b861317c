import { cleanLine, isVisible, withoutNul } from "../../platform/text.ts";
import type { Identity } from "../sign-in/external-users.service.ts";
import type { OidcOptions } from "./oidc-options.ts";
import type { Claims } from "./provider.ts";

const MAX_TEXT = 255;

function textIn(claims: Claims, name: string): string {
  const value = claims[name];
  if (typeof value !== "string") return "";
  const text = cleanLine(value).trim().slice(0, MAX_TEXT).toWellFormed();
  return isVisible(text) ? text : "";
}

function ownValue(object: unknown, name: string): unknown {
  const isObject = typeof object === "object" && object !== null;
  return isObject && Object.hasOwn(object, name) ? (object as Claims)[name] : undefined;
}

function groupsIn(claims: Claims, name: string): unknown[] {
  const value = ownValue(claims, name) ?? name.split(".").reduce<unknown>(ownValue, claims);
  return Array.isArray(value) ? value : [value];
}

/** The identity in a provider's claims; null when the user is not in the allowed group. */
export function identityOf(
  claims: Claims & { iss: string; sub: string },
  rules: Pick<OidcOptions, "groupsClaim" | "adminGroup" | "allowedGroup">,
): Identity | null {
  const groups = groupsIn(claims, rules.groupsClaim);
  if (rules.allowedGroup !== null && !groups.includes(rules.allowedGroup)) return null;
  const [username, fullname, email] = ["preferred_username", "name", "email"].map((name) =>
    textIn(claims, name),
  );
  return {
    subject: withoutNul(`${claims.iss}|${claims.sub}`),
    name: username || email || fullname || "user",
    fullname: fullname ?? "",
    email: email ?? "",
    groups: groups.filter((group) => typeof group === "string"),
    admin: rules.adminGroup === null ? null : groups.includes(rules.adminGroup),
  };
}
