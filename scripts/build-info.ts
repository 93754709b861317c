/**
 * Writes what the executable tells of its build to a file: `bun scripts/build-info.ts dist/build.json`. The file is
 * left as it is if nothing changed, so that make does not build again.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BuildInfo } from "../src/platform/version.ts";
import { componentsOf, DEPENDENCIES } from "./sbom.ts";

const ROOT = realpathSync(join(import.meta.dir, ".."));

function git(...args: string[]): string | null {
  if (Bun.which("git") === null) return null;
  const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: ROOT, stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** The commit of this checkout. An unpacked archive may lie within a checkout of something else: that has none. */
function commit(): string | null {
  if (git("rev-parse", "--show-toplevel") !== ROOT) return null;
  return git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*");
}

const [file = ""] = process.argv.slice(2);
const dependencies = componentsOf(DEPENDENCIES).map(({ name, version }) => ({ name, version }));
const info: BuildInfo = { commit: commit(), dependencies };
const text = `${JSON.stringify(info)}\n`;
mkdirSync(dirname(file), { recursive: true });
if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
