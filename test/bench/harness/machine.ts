/** The kind of machine that was measured, without anything that identifies this one. */
import { Database } from "bun:sqlite";
import { cpus, release, totalmem, type } from "node:os";
import { VERSION } from "../../../src/platform/version.ts";

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  muster: string;
  bun: string;
  sqlite: string;
}

export function thisMachine(): Machine {
  const db = new Database(":memory:");
  const sqlite = db.query<{ version: string }, []>("select sqlite_version() as version").get()?.version;
  db.close();
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    muster: VERSION,
    bun: Bun.version,
    sqlite: sqlite ?? "unknown",
  };
}
