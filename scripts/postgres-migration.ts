/**
 * Writes the migration of PostgreSQL for changes of src/platform/storage/schema.ts into drizzle/postgres. With
 * --check it fails with exit code 1 if one is missing.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { postgresTables } from "./postgres-tables.ts";

const FOLDER = join(import.meta.dir, "../drizzle/postgres");
const JOURNAL = join(FOLDER, "meta/_journal.json");

interface Journal {
  version: string;
  dialect: string;
  entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[];
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const journal: Journal = existsSync(JOURNAL)
  ? read(JOURNAL)
  : { version: "7", dialect: "postgresql", entries: [] };
const number = (idx: number) => String(idx).padStart(4, "0");
const snapshot = (idx: number) => join(FOLDER, `meta/${number(idx)}_snapshot.json`);

const before =
  journal.entries.length > 0 ? read(snapshot(journal.entries.length - 1)) : generateDrizzleJson({});
const after = generateDrizzleJson(postgresTables(), before.id, undefined, "snake_case");
const statements = await generateMigration(before, after);

if (statements.length > 0 && process.argv.includes("--check")) {
  console.error(
    "src/platform/storage/schema.ts has changes without a migration of PostgreSQL: make migration NAME=what_changes",
  );
  process.exit(1);
}
if (statements.length > 0) {
  const idx = journal.entries.length;
  const tag = `${number(idx)}_${process.argv[2] ?? "change"}`;
  mkdirSync(join(FOLDER, "meta"), { recursive: true });
  writeFileSync(join(FOLDER, `${tag}.sql`), statements.join("\n--> statement-breakpoint\n"));
  writeFileSync(snapshot(idx), JSON.stringify(after, null, 2));
  journal.entries.push({ idx, version: "7", when: Date.now(), tag, breakpoints: true });
  writeFileSync(JOURNAL, `${JSON.stringify(journal, null, 2)}\n`);
}
process.exit(0);
