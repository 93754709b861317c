/** Keys of age, with which backups are encrypted (age-encryption.org/v1). */
import { existsSync } from "node:fs";
import { Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { writePrivately } from "../../platform/files/durable-file.ts";
import { fileReason } from "../../platform/files/file-reason.ts";
import { readPrivately } from "../../platform/files/private-file.ts";
import { StartupError } from "../../platform/startup-error.ts";

/** The private keys in a file as age-keygen writes it. @throws StartupError when there are none */
export function identitiesIn(file: string): string[] {
  if (!existsSync(file)) throw new StartupError(`${file} is not there`);
  const keys = readPrivately(file)
    .split(/\s+/)
    .filter((word) => /^AGE-SECRET-KEY-/i.test(word));
  if (keys.length === 0) throw new StartupError(`${file} has no private key (AGE-SECRET-KEY-...)`);
  return keys;
}

/** The public keys in a text, separated by commas, spaces or lines. */
export function recipientsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

/** Whether backups can be encrypted to a key. */
export function isRecipient(key: string): boolean {
  try {
    new Encrypter().addRecipient(key);
    return true;
  } catch {
    return false;
  }
}

/** Makes a key and writes the private one to a new file. @returns the public one @throws StartupError */
export async function makeIdentity(file: string): Promise<string> {
  if (existsSync(file)) throw new StartupError(`${file} exists already; nothing was written`);
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  try {
    writePrivately(file, `# public key: ${recipient}\n${identity}\n`);
  } catch (error) {
    throw new StartupError(`${file} cannot be written: ${fileReason(error)}`);
  }
  return recipient;
}
