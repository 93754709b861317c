import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { hiddenFolder, unitText } from "../../../src/operations/commands/unit.ts";
import { CommandFolder } from "./support.ts";

/** A folder for a unit, and the command that writes it there. */
function units() {
  const folder = new CommandFolder();
  const path = join(folder.path, "muster.service");
  const runInstall = (args: string) => folder.run(`install --unit-dir ${folder.path} ${args}`);
  return {
    path,
    data: folder.folder.path,
    runInstall,
    install: (args: string) => runInstall(`--user monitor ${args}`),
    unit: () => readFileSync(path, "utf8"),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

test("a data folder is quoted in the line that makes it", async () => {
  using there = units();
  const lines: string[] = [];
  const io = {
    print: (line: string) => void lines.push(line),
    complain: () => undefined,
    readSecret: async () => "",
  };
  const argv = ["--unit-dir", there.data, "--user", "monitor", "--data", "/srv/it's mine"];
  mkdirSync(there.data);
  await runCommand(COMMANDS, ["install", ...argv], {}, io);
  const [line = ""] = lines.filter((each) => each.includes("install -d"));
  const shell = Bun.spawnSync(["sh", "-c", `printf '<%s>' ${line}`]);
  expect(shell.stdout.toString()).toBe("<install><-d><-m><700><-o><monitor></srv/it's mine>");
});

test("a unit that is there stays when it has the same settings", async () => {
  using there = units();
  expect((await there.install("--listen 0.0.0.0:443")).out[0]).toStartWith(`wrote ${there.path}: `);
  const before = there.unit();
  expect(await there.install("--listen 0.0.0.0:443")).toEqual({
    code: 0,
    out: [`${there.path} is there and has these settings: nothing was changed`],
    err: [],
  });
  expect(there.unit()).toBe(before);
});

test("a unit that differs is replaced only with --force, and the refusal says in what it differs", async () => {
  using there = units();
  await there.install("--listen 0.0.0.0:443 --base-url https://muster.example.org");
  // A unit of an earlier version.
  writeFileSync(there.path, there.unit().replace(/^EnvironmentFile=.*\n/m, ""));
  const before = there.unit();
  const command = /^ExecStart=(.*)$/m.exec(before)?.[1];
  expect(await there.install("--listen 0.0.0.0:8080")).toEqual({
    code: 1,
    out: [],
    err: [
      `${there.path} is there, differs in --listen, --base-url, CapabilityBoundingSet, AmbientCapabilities, EnvironmentFile, ` +
        `and runs ${command}: give the same options to keep them, and --force to replace the unit`,
    ],
  });
  expect(there.unit()).toBe(before);
  const { code, out } = await there.install("--listen 0.0.0.0:8080 --force");
  expect(code).toBe(0);
  expect(there.unit()).toContain("--listen 0.0.0.0:8080\n");
  // The service may run, with the previous unit.
  const next = ["  systemctl daemon-reload", "  systemctl enable muster", "  systemctl restart muster"];
  expect(out.slice(-next.length)).toEqual(next);
  expect(there.unit()).toContain("EnvironmentFile=-/etc/default/muster\n");
});

const ARGS = "--listen 0.0.0.0:443";

const maskedBy = (path: string) =>
  `the service is masked by ${path}, so that it cannot start: run systemctl unmask muster first`;

test("a masked unit is refused, and stays masked", async () => {
  using there = units();
  symlinkSync("/dev/null", there.path);
  expect(await there.install(ARGS)).toEqual({ code: 1, out: [], err: [maskedBy(there.path)] });
  expect(readlinkSync(there.path)).toBe("/dev/null");
});

test("an empty unit, or a link to an empty file, counts as masked even with --force", async () => {
  using there = units();
  const empty = `${there.path}.empty`;
  writeFileSync(empty, "", { mode: 0o600 });
  symlinkSync(empty, there.path);
  for (const args of [ARGS, `${ARGS} --force`])
    expect(await there.install(args)).toEqual({ code: 1, out: [], err: [maskedBy(there.path)] });
  expect(readlinkSync(there.path)).toBe(empty);
  expect([readFileSync(empty, "utf8"), statSync(empty).mode & 0o777]).toEqual(["", 0o600]);

  rmSync(there.path);
  writeFileSync(there.path, "");
  expect(await there.install(`${ARGS} --force`)).toEqual({ code: 1, out: [], err: [maskedBy(there.path)] });
  expect(there.unit()).toBe("");
});

test("with --force, a link is replaced by a file that everyone can read, and what it leads to stays the same", async () => {
  using there = units();
  const target = `${there.path}.target`;
  writeFileSync(target, "[Unit]\n", { mode: 0o600 });
  symlinkSync(target, there.path);
  expect(await there.install(ARGS)).toMatchObject({
    code: 1,
    err: [expect.stringContaining("and --force to")],
  });
  expect((await there.install(`${ARGS} --force`)).code).toBe(0);
  expect([lstatSync(there.path).isFile(), lstatSync(there.path).mode & 0o777]).toEqual([true, 0o644]);
  expect(there.unit()).toContain("[Service]");
  expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual(["[Unit]\n", 0o600]);
});

test("a link that leads nowhere is replaced only with --force, and nothing is written where it leads", async () => {
  using there = units();
  const target = `${there.path}.target`;
  symlinkSync(target, there.path);
  expect(await there.install(ARGS)).toMatchObject({
    code: 1,
    err: [expect.stringContaining("and --force to")],
  });
  expect((await there.install(`${ARGS} --force`)).code).toBe(0);
  expect([existsSync(target), lstatSync(there.path).isFile()]).toEqual([false, true]);
  expect(readdirSync(join(there.path, "..")).sort()).toEqual(["muster.service"]);
});

test("the documented command writes a unit of 1.0.0 anew with the options that it has", async () => {
  using there = units();
  await there.install("--listen 0.0.0.0:443,unix:/run/muster/x.sock --base-url https://muster.example.org");
  const now = there.unit();
  writeFileSync(there.path, now.replace(/^EnvironmentFile=.*\n/m, ""));
  const page = readFileSync(join(import.meta.dir, "../../../docs/operations.md"), "utf8");
  const [, options = ""] = /^sudo muster install --force (\$\(.*\))$/m.exec(page) ?? [];
  const script = `echo ${options.replace("/etc/systemd/system/muster.service", there.path)}`;
  const { stdout } = Bun.spawnSync(["sh", "-c", script]);
  // These tests add the data folder to each command.
  const again = stdout.toString().trim().replace(`--data ${there.data} `, "");
  // Where the tests run from a folder that the service cannot see, there is a warning.
  expect(await there.runInstall(`--force ${again}`)).toMatchObject({ code: 0 });
  expect(there.unit()).toBe(now);
});

test("a data folder whose name has a space is one folder of systemd", () => {
  const unit = { executable: "/usr/local/bin/muster", args: [], user: null, lowPort: false };
  const lines = (data: string) => unitText({ ...unit, data }).split("\n");
  expect(lines("/var/lib/muster")).toContain("StateDirectory=muster");
  expect(lines("/var/lib/my data")).toContain('StateDirectory="my data"');
  expect(lines("/srv/my data")).toContain('ReadWritePaths="/srv/my data"');
});

test.each([
  ["/home/ann/bin/muster", "/home"],
  ["/root/muster", "/root"],
  ["/run/user/1000/muster", "/run/user"],
  ["/tmp/muster", "/tmp"],
  ["/var/tmp/muster", "/var/tmp"],
  ["/usr/local/bin/muster", null],
  ["/homes/muster", null],
  ["/opt/tmp/muster", null],
])("the unit hides the folder above an executable, or not: %s", (executable, folder) => {
  expect(hiddenFolder(executable)).toBe(folder);
});
