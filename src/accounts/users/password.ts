import { createHash, randomInt } from "node:crypto";
import { equalInConstantTime } from "../../platform/secrets/equal.ts";

/** Without characters that are easily confused. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** The API's form of a password: MD5 in upper-case hexadecimal. It is only ever stored sealed. */
export function md5(password: string): string {
  return createHash("md5").update(password, "utf8").digest("hex").toUpperCase();
}

/** Whether `text` equals the MD5, ignoring case. */
export function isMd5Of(text: string, storedMd5: string): boolean {
  return equalInConstantTime(text.toUpperCase(), storedMd5);
}

/** 20 random characters (about 115 bits) that are safe to read aloud and to use in a URL. */
export function generatePassword(): string {
  return Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}
