/**
 * The programs that the end-to-end tests need beside Muster, as Debian packages of the same name. Where their services
 * are started by that, they are not needed: tests start their own, on free ports.
 */
const TOOLS = ["chromium", "monit", "nginx", "prometheus"];

function missingTools(): string[] {
  // Monit is in sbin, which is not on every user's path.
  const PATH = `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin`;
  return TOOLS.filter((name) => Bun.which(name, { PATH }) === null);
}

async function runQuietly(command: string[]): Promise<string | null> {
  const child = Bun.spawn(command, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? null : `${command.join(" ")} failed:\n${stdout}${stderr}`.trimEnd();
}

/**
 * Installs what is missing, where that can be done: as root, with apt.
 * @returns what the person in front of it has to do; null when all is there
 */
export async function provideTools(): Promise<{ problem: string | null }> {
  const missing = missingTools();
  if (missing.length === 0) return { problem: null };
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || Bun.which("apt-get") === null) {
    const line = `sudo apt-get update && sudo ${install.join(" ")}`;
    return {
      problem: `The end-to-end tests need ${missing.join(", ")}. Run this, then try again:\n  ${line}`,
    };
  }
  console.log(`installing ${missing.join(", ")}`);
  const problem = (await runQuietly(["apt-get", "update"])) ?? (await runQuietly(install));
  if (problem !== null) return { problem };
  const still = missingTools();
  return { problem: still.length === 0 ? null : `${still.join(" and ")} cannot be found, though installed` };
}
