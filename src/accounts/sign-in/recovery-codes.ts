import { randomInt } from "node:crypto";
import { tokenHash } from "../../platform/secrets/token-hash.ts";

const COUNT = 10;
/** Without characters that are easily confused. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 4;

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** New codes of 79 random bits each, to be shown once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, newCode);
}

/** The stored form of a code. Case, spaces and hyphens are ignored, since codes are copied from paper. */
export function recoveryCodeHash(code: string): string {
  return tokenHash(code.toLowerCase().replace(/[^a-z0-9]/g, ""));
}
