/** Messages captured from the real agent. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../fixtures/monit-5.33.0");

/** Names of all captured messages, without the compressed one. */
export function capturedNames(): string[] {
  return readdirSync(FOLDER).filter((name) => name.endsWith(".xml"));
}

/** The bytes of a captured message. */
export function captured(name: string): Uint8Array {
  return readFileSync(join(FOLDER, name));
}
