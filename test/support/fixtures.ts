/** Messages of agents: captured from the real one, and written by hand as other versions send them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../fixtures");
const CAPTURED = "monit-5.33.0";

function messagesOf(version: string): string[] {
  return readdirSync(join(FOLDER, version)).filter((name) => name.endsWith(".xml"));
}

/** Names of all captured messages, without the compressed one. */
export function capturedNames(): string[] {
  return messagesOf(CAPTURED);
}

/** The bytes of a captured message. */
export function captured(name: string): Uint8Array {
  return written(join(CAPTURED, name));
}

/** Names of the messages that were written by hand, each "monit-version/name.xml". */
export function writtenNames(): string[] {
  const versions = readdirSync(FOLDER).filter((name) => name.startsWith("monit-") && name !== CAPTURED);
  return versions.flatMap((version) => messagesOf(version).map((name) => `${version}/${name}`));
}

/** The bytes of a message that was written by hand. */
export function written(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(FOLDER, name)));
}
