/** What the command line prints and refuses. */
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentsOf, DEPENDENCIES } from "../../scripts/sbom.ts";
import { SETTINGS } from "../../src/platform/config/config.definitions.ts";
import { VERSION } from "../../src/platform/version.ts";
import { CommandFolder, rowsOf } from "../operations/commands/support.ts";
import { executableAlone, expectRefusal } from "./alone.ts";
import { EXECUTABLE, run } from "./support.ts";

const emptyFolder = executableAlone();

describe("the command line", () => {
  test("tells the version", async () => {
    using folder = emptyFolder();
    for (const word of ["version", "--version"])
      expect(await run([word], folder)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test("tells its commit, its runtime and every package in it as JSON", async () => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await run(["version", "--json"], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { dependencies, ...told } = JSON.parse(stdout);
    const { commit } = JSON.parse(readFileSync(join(import.meta.dir, "../../dist/build.json"), "utf8"));
    expect(commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);
    const runtime = { name: "bun", version: Bun.version, revision: Bun.revision };
    const platform = `${process.platform}-${process.arch}`;
    expect(told).toEqual({ name: "muster", version: VERSION, commit, runtime, platform });
    const packages = componentsOf(DEPENDENCIES).map(({ name, version }) => ({ name, version }));
    expect(dependencies).toEqual(packages);
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(dependencies).toContainEqual({ name, version });
  });

  test("explains every setting, by flag and by environment variable", async () => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await run(["help"], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { flag, env, doc } of Object.values(SETTINGS))
      for (const part of [flag ?? "", env, doc]) expect(stdout).toContain(part);
  });

  test("fails in one line when its output cannot be written, unless the reader has seen enough", async () => {
    using folder = emptyFolder();
    const under = async (script: string) => {
      const { executable } = folder;
      const child = Bun.spawn(["sh", "-c", script, executable], { cwd: folder.path, stderr: "pipe" });
      return [await child.exited, await new Response(child.stderr).text()];
    };
    expect(await under('"$0" help > /dev/full')).toEqual([
      1,
      expect.stringMatching(
        /^muster: the output cannot be written: no space is left on the disk \(ENOSPC\)\n$/,
      ),
    ]);
    expect(await under('{ "$0" help; echo $? > code; } | :')).toEqual([0, ""]);
    expect(readFileSync(join(folder.path, "code"), "utf8")).toBe("0\n");
  });

  test.each(["rotate-key --lost", "user passwd user --generate"])(
    "changes nothing if the reader of what it prints only once is gone: %s",
    async (command) => {
      using folder = new CommandFolder().fill();
      if (command.startsWith("rotate-key")) rmSync(folder.folder.key);
      const before = rowsOf(folder);
      // The reader closes the pipe before the command starts.
      const script = `mkfifo closed; { cat closed; "$0" ${command} --data data; echo $? > code; } | { exec <&-; echo > closed; }`;
      const child = Bun.spawn(["sh", "-c", script, EXECUTABLE], { cwd: folder.path, stderr: "pipe" });
      expect(await new Response(child.stderr).text()).toMatch(
        /^muster: the output cannot be written: EPIPE.*\n$/,
      );
      expect(readFileSync(join(folder.path, "code"), "utf8")).toBe("1\n");
      expect(rowsOf(folder)).toEqual(before);
    },
  );

  test("refuses an unknown command or option in one line", async () => {
    using folder = emptyFolder();
    await expectRefusal(["frobnicate"], folder, '"frobnicate"');
    await expectRefusal(["serve", "--frobnicate"], folder, '"--frobnicate"');
    await expectRefusal(["serve", "stray"], folder, '"stray"');
    await expectRefusal(["serve", "--listen"], folder, "--listen");
    expect(existsSync(join(folder.path, "muster-data"))).toBe(false);
  });
});

const CERT = join(import.meta.dir, "../fixtures/tls/cert.pem");

/**
 * Faults found when the server starts; test/platform/config/config.test.ts has values that are wrong in themselves.
 */
const WRONG: readonly (readonly [name: string, ...args: string[]])[] = [
  ["--listen", "--listen", "nonsense"],
  ["a-file", "--data", "a-file"],
  ["--tls-cert", "--tls-cert", "missing.pem", "--tls-key", "a-file"],
  ["--tls-cert", "--tls-cert", "a-file", "--tls-key", "a-file"],
  ["--tls-key", "--tls-cert", CERT, "--tls-key", "missing.pem"],
  ["--tls-key", "--tls-cert", CERT, "--tls-key", "a-file"],
  ["--tls-key", "--tls-cert", CERT, "--tls-key", "other-key.pem"],
];

describe("a wrong setting ends the start with one line that names it", () => {
  test.each(WRONG)("%s: %s %s", async (name, ...args) => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, "a-file"), "neither a folder nor a certificate\n");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(join(folder.path, "other-key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const listen = args.includes("--listen") ? [] : ["--listen", "127.0.0.1:0"];
    await expectRefusal(["serve", ...listen, ...args], folder, name);
  });
});
