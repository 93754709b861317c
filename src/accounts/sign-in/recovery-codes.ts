import { createHash, randomInt } from "node:crypto";

/** How many a user gets at a time. */
const COUNT = 10;
/** No letter that looks like a digit. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
const GROUPS = 4;
const GROUP_LENGTH = 4;

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

/** Codes of 79 random bits each, to be shown once. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, newCode);
}

/** As it is stored. Case, spaces and hyphens do not matter, as people copy them from paper. */
export function recoveryCodeHash(code: string): string {
  const bare = code.toLowerCase().replace(/[^a-z0-9]/g, "");
  return createHash("sha256").update(bare).digest("hex");
}
