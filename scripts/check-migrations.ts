/**
 * Checks that drizzle/ has migrations for all of src/platform/storage/schema.ts, in an order in which every database
 * applies them. If not, it prints what to do and ends with exit code 1.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** drizzle-kit works on a copy here, so that a check never writes a migration. */
const SCRATCH = "dist/migration-check";

/** Whether the schema has changes that no migration makes. @returns the problem; null if there is none */
function schemaDrift(): string | null {
  const scratch = join(ROOT, SCRATCH);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  try {
    cpSync(join(ROOT, "drizzle"), join(scratch, "drizzle"), { recursive: true });
    writeFileSync(
      join(scratch, "drizzle.config.ts"),
      `import config from "../../drizzle.config.ts";\nexport default { ...config, out: "./${SCRATCH}/drizzle" };\n`,
    );
    const { exitCode, stdout, stderr } = Bun.spawnSync(
      [
        process.execPath,
        "--bun",
        "node_modules/.bin/drizzle-kit",
        "generate",
        `--config=${SCRATCH}/drizzle.config.ts`,
      ],
      { cwd: ROOT, stdin: "ignore" },
    );
    if (exitCode !== 0) return `drizzle-kit failed:\n${stdout}${stderr}`;
    // Checked by output, not by written files: drizzle-kit asks about a possible rename, and exits without a
    // terminal.
    return stdout.includes("No schema changes")
      ? null
      : "src/platform/storage/schema.ts has changes without a migration: make migration NAME=what_changes";
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The migrator silently skips a migration that is dated before one already applied. */
function journalDisorder(): string | null {
  const journal = JSON.parse(readFileSync(join(ROOT, "drizzle/meta/_journal.json"), "utf8")) as {
    entries: { tag: string; when: number }[];
  };
  const late = journal.entries.find(({ when }, i) => when <= (journal.entries[i - 1]?.when ?? 0));
  return late ? `drizzle/meta/_journal.json: ${late.tag} is not dated after the migration before it` : null;
}

const problems = [schemaDrift(), journalDisorder()].filter((problem) => problem !== null);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
