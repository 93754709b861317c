/** The programs that tests need besides Bun: whether they run here, and how to install them. */
import { existsSync, readdirSync } from "node:fs";

/** Time limit for apt, and for a program that prints its version, milliseconds: a guard against hanging. */
const TIMEOUT = 900_000;

interface Needed {
  /**
   * Debian's package; null for what every system has, but lets only root use. Services that a package starts are not
   * needed: tests start their own, on free ports.
   */
  package: string | null;
  /** A command that succeeds where the program works: some packages contain only a hint about another package. */
  probe: readonly string[];
}

const PROGRAMS = {
  "ansible-playbook": { package: "ansible-core", probe: ["ansible-playbook", "--version"] },
  "apt-get": { package: "apt", probe: ["apt-get", "--version"] },
  apprise: { package: "apprise", probe: ["/usr/bin/python3", "-c", "import apprise; apprise.Apprise()"] },
  buildah: { package: "buildah", probe: ["buildah", "--version"] },
  chromium: { package: "chromium-headless-shell", probe: ["chromium", "--version"] },
  curl: { package: "curl", probe: ["curl", "--version"] },
  "debian-archive-keyring": {
    package: "debian-archive-keyring",
    probe: ["test", "-s", "/usr/share/keyrings/debian-archive-keyring.gpg"],
  },
  "dpkg-deb": { package: "dpkg", probe: ["dpkg-deb", "--version"] },
  git: { package: "git", probe: ["git", "--version"] },
  gpg: { package: "gnupg", probe: ["gpg", "--version"] },
  haproxy: { package: "haproxy", probe: ["haproxy", "-v"] },
  monit: { package: "monit", probe: ["monit", "-V"] },
  nginx: { package: "nginx", probe: ["nginx", "-v"] },
  openssl: { package: "openssl", probe: ["openssl", "version"] },
  pgbouncer: { package: "pgbouncer", probe: asPostgresUser(["pgbouncer", "--version"]) },
  postgres: { package: "postgresql", probe: asPostgresUser(["postgres", "--version"]) },
  prometheus: { package: "prometheus", probe: ["prometheus", "--version"] },
  promtool: { package: "prometheus", probe: ["promtool", "--version"] },
  // ssh-keygen cannot print its version; ssh comes with it.
  "ssh-keygen": { package: "openssh-client", probe: ["ssh", "-V"] },
  "systemd-analyze": { package: "systemd", probe: ["systemd-analyze", "--version"] },
  // Namespaces need root, and a system that allows a container to make them.
  unshare: { package: null, probe: ["unshare", "--mount", "--pid", "--uts", "--fork", "true"] },
} satisfies Record<string, Needed>;

export type Program = keyof typeof PROGRAMS;

/** A command run as the user that PostgreSQL's package created: PostgreSQL refuses to run as root. */
export function asPostgresUser(command: readonly string[]): string[] {
  if (process.getuid?.() !== 0) return [...command];
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", ...command];
}

/** Folders of the programs of PostgreSQL, which Debian keeps beside each other by version. */
function postgresFolders(): string[] {
  const root = "/usr/lib/postgresql";
  return existsSync(root) ? readdirSync(root).map((version) => `${root}/${version}/bin`) : [];
}

/**
 * Search path for the programs. Monit and nginx are in sbin, which is not on every user's PATH. PostgreSQL's own
 * folders come first: what /usr/bin has under these names is a script that looks for the right version, which takes
 * five times as long.
 */
export const TOOLS_PATH = [
  ...postgresFolders(),
  process.env.PATH ?? "",
  "/usr/local/sbin:/usr/sbin:/sbin",
].join(":");

/** Programs that are preferred to others. The Chromium that is built without windows does less work. */
const PREFERRED: Readonly<Record<string, string>> = { chromium: "chromium-headless-shell" };

/** Path of a program that the tests need, or of another one of its package. @throws when there is none */
export function pathOf(name: string): string {
  const names = [PREFERRED[name] ?? [], name].flat();
  const [path] = names.flatMap((each) => Bun.which(each, { PATH: TOOLS_PATH }) ?? []);
  if (path === undefined) throw new Error(`${name} is missing`);
  return path;
}

/** Why a program does not run here; null if it does. */
export function faultOf(program: Program): string | null {
  const [name = "", ...words] = PROGRAMS[program].probe;
  try {
    const { exitCode, stdout, stderr } = Bun.spawnSync([pathOf(name), ...words], {
      env: { ...process.env, PATH: TOOLS_PATH },
      stdin: "ignore",
      timeout: TIMEOUT,
    });
    if (exitCode === 0) return null;
    const [firstLine = ""] = `${stderr}${stdout}`.trim().split("\n");
    return `${program} does not run: exit code ${exitCode}${firstLine && `, ${firstLine}`}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Programs that do not run here, with the reason. */
export function missingPrograms(): Map<Program, string> {
  const missing = new Map<Program, string>();
  for (const program of Object.keys(PROGRAMS) as Program[]) {
    const fault = faultOf(program);
    if (fault !== null) missing.set(program, fault);
  }
  return missing;
}

const packagesOf = (programs: Iterable<Program>) =>
  [...new Set([...programs].flatMap((program) => PROGRAMS[program].package ?? []))].sort();

const install = (packages: readonly string[]) => [
  ...["apt-get", "install", "-y", "--no-install-recommends"],
  ...packages,
];

/** The commands that install missing programs, and then run every test; as root if something is only for root. */
export function commandFor(programs: readonly Program[]): string {
  const packages = packagesOf(programs);
  const apt = packages.length > 0 ? ["sudo apt-get update", `sudo ${install(packages).join(" ")}`] : [];
  const needsRoot = programs.some((program) => PROGRAMS[program].package === null);
  return [...apt, needsRoot ? "sudo make test" : "make test"].join(" && ");
}

/** @returns its output if it failed; null if it succeeded */
async function runQuietly(command: string[]): Promise<string | null> {
  const child = Bun.spawn(command, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return code === 0 ? null : `${command.join(" ")} failed:\n${stdout}${stderr}`.trimEnd();
}

/** Installs missing programs with apt, if run as root. @returns those that do not run afterwards, with the reason */
export async function provideTools(): Promise<Map<Program, string>> {
  const missing = missingPrograms();
  const isRoot = process.getuid?.() === 0;
  if (missing.size === 0 || !isRoot || Bun.which("apt-get") === null) return missing;
  const packages = packagesOf(missing.keys());
  if (packages.length === 0) return missing;
  console.log(`installing ${packages.join(", ")}`);
  const fault = (await runQuietly(["apt-get", "update"])) ?? (await runQuietly(install(packages)));
  if (fault !== null) {
    console.log(fault);
    // Not every distribution with apt has all of them.
    if (packages.length > 1) for (const name of packages) await runQuietly(install([name]));
  }
  return missingPrograms();
}
