import { existsSync, readdirSync } from "node:fs";

/** Time limit for apt, milliseconds: a guard against hanging. */
const APT_TIMEOUT = 900_000;

/**
 * Programs that the tests need, with the Debian package of each. Services that these packages start are not
 * needed: tests start their own, on free ports.
 */
const PACKAGES = {
  apprise: "apprise",
  buildah: "buildah",
  chromium: "chromium",
  curl: "curl",
  git: "git",
  haproxy: "haproxy",
  monit: "monit",
  nginx: "nginx",
  postgres: "postgresql",
  prometheus: "prometheus",
  promtool: "prometheus",
  "ssh-keygen": "openssh-client",
  "systemd-analyze": "systemd",
};

/** Folders of the programs of PostgreSQL, which Debian keeps beside each other by version. */
function postgresFolders(): string[] {
  const root = "/usr/lib/postgresql";
  return existsSync(root) ? readdirSync(root).map((version) => `${root}/${version}/bin`) : [];
}

/** Search path for them. Monit and nginx are in sbin, which is not on every user's PATH. */
export const TOOLS_PATH = [
  process.env.PATH ?? "",
  "/usr/local/sbin:/usr/sbin:/sbin",
  ...postgresFolders(),
].join(":");

/** The packages of missing programs. */
function missingPackages(): string[] {
  const PATH = TOOLS_PATH;
  const missing = Object.entries(PACKAGES).filter(([program]) => Bun.which(program, { PATH }) === null);
  return [...new Set(missing.map(([, name]) => name))];
}

async function runQuietly(command: string[]): Promise<string | null> {
  const child = Bun.spawn(command, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: APT_TIMEOUT,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? null : `${command.join(" ")} failed:\n${stdout}${stderr}`.trimEnd();
}

/**
 * Installs missing programs with apt, if run as root.
 * @returns what the user has to do; null if everything is installed
 */
export async function provideTools(): Promise<{ problem: string | null }> {
  const missing = missingPackages();
  if (missing.length === 0) return { problem: null };
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || Bun.which("apt-get") === null) {
    const line = `sudo apt-get update && sudo ${install.join(" ")}`;
    return {
      problem: `The tests need ${missing.join(", ")}. Run this, then try again:\n  ${line}`,
    };
  }
  console.log(`installing ${missing.join(", ")}`);
  const problem = (await runQuietly(["apt-get", "update"])) ?? (await runQuietly(install));
  if (problem !== null) return { problem };
  const still = missingPackages();
  return { problem: still.length === 0 ? null : `${still.join(" and ")} cannot be found, though installed` };
}
