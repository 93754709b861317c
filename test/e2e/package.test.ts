/** The ways onto a machine: the Debian package, and the unit that the executable writes itself. */
import { afterAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildDeb } from "../../packaging/deb.ts";
import { softwareBillOfMaterials } from "../../scripts/sbom.ts";
import { VERSION } from "../../src/platform/version.ts";
import { needing } from "../support/programs.ts";
import { EXECUTABLE, eventually, Muster, run, temporaryFolder } from "./support.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" };

function command(...words: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { env: ENV, stdin: "ignore" });
  return { exitCode, output: `${stdout}${stderr}` };
}

/** Settings of a unit, by name; a repeated one counts as the last. */
function readUnit(path: string): Map<string, string> {
  const lines = readFileSync(path, "utf8").split("\n");
  return new Map(
    lines
      .filter((line) => line.includes("="))
      .map((line) => [line.split("=")[0] ?? "", line.replace(/^\w+=/, "")]),
  );
}

function expectHardened(unit: Map<string, string>): void {
  for (const [name, value] of Object.entries({
    NoNewPrivileges: "yes",
    ProtectSystem: "strict",
    ProtectHome: "yes",
    PrivateTmp: "yes",
    PrivateDevices: "yes",
    RestrictNamespaces: "yes",
    SystemCallFilter: "@system-service",
    UMask: "0077",
    UnsetEnvironment: "BUN_OPTIONS BUN_BE_BUN NODE_OPTIONS",
  }))
    expect({ name, value: unit.get(name) }).toEqual({ name, value });
}

/** What systemd says of a unit. */
function expectValid(path: string): void {
  const { exitCode, output } = command("systemd-analyze", "verify", path);
  // Units of the machine that this one depends on may have warnings of their own.
  const ours = output.split("\n").filter((line) => line.includes("muster.service"));
  expect({ exitCode, ours }).toEqual({ exitCode: 0, ours: [] });
}

test("muster install warns that the service cannot run an executable that the unit hides from it", async () => {
  const hidden = mkdtempSync("/var/tmp/muster-test-");
  try {
    const executable = join(hidden, "muster");
    copyFileSync(EXECUTABLE, executable);
    const args = ["install", "--unit-dir", hidden];
    expect(await run(args, { cwd: hidden, executable })).toMatchObject({
      code: 0,
      stderr:
        `muster: warning: the service cannot run ${executable}, since the unit hides /var/tmp from it: ` +
        "copy it to /usr/local/bin/muster, and install again with that one\n",
    });
    const unit = readUnit(join(hidden, "muster.service"));
    expect(unit.get("ExecStart")).toBe(`${executable} serve --data /var/lib/muster`);
  } finally {
    rmSync(hidden, { recursive: true });
  }
});

describe("muster install", () => {
  const { test } = needing("systemd-analyze");

  test("writes a unit that runs this executable on a folder of its own, and says what to run next", async () => {
    const cwd = folder.path;
    const units = join(cwd, "units");
    mkdirSync(units);
    const { code, stdout } = await run(["install", "--unit-dir", units, "--listen", "0.0.0.0:443"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("systemctl enable --now muster");
    const path = join(units, "muster.service");
    const unit = readUnit(path);
    expect(unit.get("ExecStart")).toBe(`${EXECUTABLE} serve --data /var/lib/muster --listen 0.0.0.0:443`);
    expect(unit.get("DynamicUser")).toBe("yes");
    expect(unit.get("StateDirectory")).toBe("muster");
    expect(unit.get("AmbientCapabilities")).toBe("CAP_NET_BIND_SERVICE");
    expectHardened(unit);
    expectValid(path);
  });

  test("takes another folder with the account that owns it, and no capability that it does not need", async () => {
    const cwd = folder.path;
    const units = join(cwd, "other-units");
    mkdirSync(units);
    const args = ["install", "--unit-dir", units, "--data", "/srv/my data", "--user", "monitor"];
    expect((await run(args, { cwd, env: { MUSTER_BASE_URL: "https://muster.example.org" } })).code).toBe(0);
    const unit = readUnit(join(units, "muster.service"));
    expect(unit.get("ExecStart")).toBe(
      `${EXECUTABLE} serve --data "/srv/my data" --base-url https://muster.example.org`,
    );
    expect([unit.get("User"), unit.get("DynamicUser"), unit.get("CapabilityBoundingSet")]).toEqual([
      "monitor",
      undefined,
      "",
    ]);
    const { code, stderr } = await run(["install", "--unit-dir", units, "--data", "/srv/x"], { cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("--user") });
  });

  test("names files by absolute paths, and has no secret but the file that holds it", async () => {
    const cwd = folder.path;
    const units = join(cwd, "third-units");
    mkdirSync(units);
    writeFileSync(join(cwd, "$client 100%"), "hush", { mode: 0o600 });
    const listen = "127.0.0.1:8080, unix:run/x.sock";
    const args = ["install", "--unit-dir", units, "--listen", listen, "--backup-identity", "id.key"];
    const database = "postgres://muster@db/muster";
    const env = { MUSTER_OIDC_CLIENT_SECRET_FILE: "$client 100%" };
    expect((await run([...args, "--database", database], { cwd, env })).code).toBe(0);
    const path = join(units, "muster.service");
    const unit = readUnit(path);
    expect(unit.get("ExecStart")).toBe(
      `${EXECUTABLE} serve --data /var/lib/muster --database ${database} ` +
        `--listen 127.0.0.1:8080,unix:${cwd}/run/x.sock --backup-identity ${cwd}/id.key`,
    );
    expect(unit.get("Environment")).toBe(`"MUSTER_OIDC_CLIENT_SECRET_FILE=${cwd}/$client 100%%"`);
    expect(unit.get("EnvironmentFile")).toBe("-/etc/default/muster");
    expectValid(path);
    const before = readFileSync(path, "utf8");
    const secret = "postgres://muster:hush@db/muster";
    const { code, stderr } = await run(args, { cwd, env: { MUSTER_DATABASE: secret } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /MUSTER_DATABASE may .* \/etc\/default\/muster, .* MUSTER_DATABASE_FILE\n/,
      ),
    });
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});

describe("the Debian package", () => {
  const { afterAll, beforeAll, test } = needing("dpkg-deb", "systemd-analyze");
  const deb = join(folder.path, "muster.deb");
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  /** Where it may be installed: not over one in use. */
  const canInstall =
    process.getuid?.() === 0 && Bun.which("dpkg") !== null && command("dpkg", "-s", "muster").exitCode !== 0;
  const root = canInstall ? "/" : join(folder.path, "root");

  beforeAll(() =>
    buildDeb({ executable: EXECUTABLE, architecture, output: deb, date: 1_800_000_000, level: 0 }),
  );
  afterAll(() => {
    if (canInstall) command("dpkg", "--purge", "muster");
  });

  test("is installed, runs and is removed, leaving the settings until it is purged", async () => {
    const installed = await eventually("no other program installs packages", () => {
      const done = canInstall ? command("dpkg", "-i", deb) : command("dpkg-deb", "-x", deb, root);
      return !done.output.includes("frontend lock was locked") && done;
    });
    expect(installed).toMatchObject({ exitCode: 0 });
    const executable = join(root, "usr/bin/muster");
    const unitFile = join(root, "lib/systemd/system/muster.service");
    expect(await run(["version"], { cwd: folder.path, executable })).toMatchObject({
      stdout: `${VERSION}\n`,
    });
    expect((statSync(executable).mode & 0o777).toString(8)).toBe("755");

    expect(readdirSync(join(root, "usr/share/doc/muster"))).toEqual(
      expect.arrayContaining(["copyright", "geist-OFL-1.1.txt"]),
    );

    const unit = readUnit(unitFile);
    expect(unit.get("ExecStart")).toBe("/usr/bin/muster serve --data /var/lib/muster");
    expect(unit.get("EnvironmentFile")).toBe("-/etc/default/muster");
    expectHardened(unit);
    if (canInstall) expectValid(unitFile);

    await using muster = await Muster.start({ cwd: folder.path, executable });
    expect((await muster.report({})).status).toBe(200);
    expect(await muster.stop()).toBe(0);

    if (!canInstall) return;
    expect(command("dpkg", "--remove", "muster")).toMatchObject({ exitCode: 0 });
    expect([existsSync(executable), existsSync(unitFile)]).toEqual([false, false]);
    expect(existsSync("/etc/default/muster")).toBe(true);
    expect(command("dpkg", "--purge", "muster")).toMatchObject({ exitCode: 0 });
    expect(existsSync("/etc/default/muster")).toBe(false);
    expect(existsSync("/etc/systemd/system/multi-user.target.wants/muster.service")).toBe(false);
  });
});

test("the list of what is within names every dependency with version, licence and checksum", () => {
  const { components } = softwareBillOfMaterials() as {
    components: { name: string; version: string; licenses: unknown[]; hashes: { content: string }[] }[];
  };
  const byName = new Map(components.map((component) => [component.name, component]));
  const expected = { ...manifest.dependencies, bun: manifest.devDependencies.bun };
  for (const [name, version] of Object.entries(expected)) {
    expect(byName.get(name)?.version).toBe(version);
    expect(byName.get(name)?.licenses).not.toEqual([]);
    expect(byName.get(name)?.hashes[0]?.content).toMatch(/^[0-9a-f]{128}$/);
  }
});
