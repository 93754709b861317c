/** The commit of this checkout. */
import { realpathSync } from "node:fs";
import { join } from "node:path";

const ROOT = realpathSync(join(import.meta.dir, ".."));

function git(...args: string[]): string | null {
  if (Bun.which("git") === null) return null;
  const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: ROOT, stderr: "ignore" });
  return exitCode === 0 ? stdout.toString().trim() : null;
}

/** An unpacked archive may lie within the checkout of another project, whose commit is not this one's. */
function isCheckout(): boolean {
  return git("rev-parse", "--show-toplevel") === ROOT;
}

/** Full hash, followed by `-dirty` if files differ from the commit; null outside of a checkout. */
export function commitHash(): string | null {
  return isCheckout() ? git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*") : null;
}

/** Unix seconds; 0 outside of a checkout. */
export function commitDate(): number {
  return isCheckout() ? Number(git("log", "-1", "--format=%ct")) : 0;
}
