import { expect, test } from "bun:test";
import { COMMANDS } from "../../../src/commands.ts";
import { commandHelp } from "../../../src/operations/commands/help.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { VERSION } from "../../../src/platform/version.ts";

async function run(...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(
    COMMANDS,
    argv,
    {},
    {
      print: (line) => out.push(line),
      complain: (line) => err.push(line),
      readSecret: async () => "",
    },
  );
  return { code, out: out.join("\n"), err: err.join("\n") };
}

test("the help has a line for every command, and is what comes without one", async () => {
  const help = await run("help");
  expect(help).toMatchObject({ code: 0, err: "" });
  for (const { name, summary } of COMMANDS) {
    const line = help.out.split("\n").find((each) => each.startsWith(`  ${name} `)) ?? "";
    expect(line).toEndWith(summary);
  }
  expect(await run()).toEqual(help);
  expect(await run("--help")).toEqual(help);
});

test("a word with which several commands begin has a help that lists them", async () => {
  for (const word of ["user", "key"]) {
    const help = await run(word, "--help");
    expect(help).toMatchObject({ code: 0, err: "" });
    expect(help.out).toStartWith(`Usage: muster ${word} COMMAND`);
    const family = COMMANDS.filter(({ name }) => name.startsWith(`${word} `));
    for (const { name, summary } of family) {
      const line = help.out.split("\n").find((each) => each.startsWith(`  ${name} `)) ?? "";
      expect(line).toEndWith(summary);
    }
    expect(help.out.split("\n").filter((each) => each.startsWith("  ")).length).toBe(family.length);
    expect([await run(word, "-h"), await run("help", word)]).toEqual([help, help]);
    expect(await run(word)).toMatchObject({ code: 1, err: expect.stringContaining("incomplete command") });
  }
  expect(await run("help", "--help")).toEqual(await run("help"));
});

test("a command that only asks a running server takes no data folder", async () => {
  const asking = COMMANDS.filter(({ options = [] }) => options.some(({ flag }) => flag === "--url"));
  // The inventory is of a server, or of a data folder without one.
  const names = asking.map(({ name }) => name).filter((name) => name !== "inventory");
  expect(names).toContain("mute");
  for (const name of names)
    expect(await run(...name.split(" "), "--data", "x")).toEqual({
      code: 1,
      out: "",
      err: `unknown option "--data" (see muster ${name} --help)`,
    });
});

for (const { name, summary, options = [], usesNoData } of COMMANDS)
  test(`muster ${name} --help tells its options${usesNoData ? "" : ", --data among them"}`, async () => {
    const { code, out } = await run(...name.split(" "), "--help");
    expect(code).toBe(0);
    expect(out).toStartWith(`Usage: muster ${name}`);
    for (const part of [summary, ...options.map((option) => option.flag)]) expect(out).toContain(part);
    expect(out.includes("--data DIR")).toBe(!usesNoData);
    expect((await run("help", ...name.split(" "))).out).toBe(out);
    // In one column each: no option runs into what it does.
    const starts = out.match(/^ {2}--\S+(?: \S+)? {2,}/gm)?.map((start) => start.length) ?? [];
    const lines = out.match(/^ {2}--/gm)?.length ?? 0;
    expect([starts.length, new Set(starts).size]).toEqual([lines, Math.min(lines, 1)]);
  });

test("version", async () => {
  for (const word of ["version", "--version"])
    expect(await run(word)).toEqual({ code: 0, out: VERSION, err: "" });
});

test("version --json knows no commit when Muster runs from source", async () => {
  const { code, out } = await run("version", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ version: VERSION, commit: null, dependencies: null });
});

const WRONG: readonly [argv: string[], said: string][] = [
  [["frobnicate"], 'there is no command "frobnicate"'],
  [
    ["user"],
    "user list, user add, user passwd, user totp-off, user delete, user grants, user grant, user revoke",
  ],
  [["user", "rename"], "user list, user add"],
  [["user", "add"], "NAME must be given"],
  [["user", "add", "bob", "eve"], 'unexpected argument "eve"'],
  [["user", "add", "bob", "--root"], 'unknown option "--root"'],
  [["user", "add", "bob", "--admin=yes"], "--admin takes no value"],
  [["backup", "a", "--data"], "--data needs a value"],
  [["backup", "a", "--listen", ":1"], 'unknown option "--listen"'],
  [["serve", "--listen", "nonsense"], "--listen: must be"],
  [
    ["healthcheck", "--listen", ":1", "--listen", ":2"],
    "--listen is given twice: give it once, as --listen A",
  ],
  [["mute", "--minutes", "5", "--service", "nginx", "--service", "mysql"], "--service is given twice"],
  [["mute", "--minutes", "5", "--service", "nginx", "--host", ""], "--host must not be empty"],
  [["mute", "--minutes", "5", "--host= ,"], "--host must not be empty"],
  [["key", "create", "web", "--group", ""], "--group must not be empty"],
  [["key", "end", "web", "--in", ""], "--in must not be empty"],
  [["key", "replace", "web", "--overlap", ""], "--overlap must not be empty"],
  [["restore", "--force", ""], "BACKUP must not be empty"],
  [["restore", "--at", "garbage", "/dev/null"], "--at must be a date"],
  [["restore", "--at", "2001-01-01", "/dev/null"], "--at chooses among the backups of a folder or bucket"],
  [["restore", "--at", "2001-01-01", "s3://bucket/muster-20261121T140307Z.tar.zst"], "--at chooses among"],
  [["doctor", "--data", "/nonexistent"], "there is no database in /nonexistent"],
  [["user", "list", "--data", "/nonexistent"], "and MUSTER_DATABASE if it is on a server"],
];
for (const [argv, said] of WRONG)
  test(`muster ${argv.join(" ")} is refused in one line`, async () => {
    const { code, out, err } = await run(...argv);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(said);
    expect(err).not.toContain("\n");
  });

test("config tells where each setting comes from and hides secrets", async () => {
  const lines: string[] = [];
  const io = {
    print: (line: string) => lines.push(line),
    complain: (line: string) => lines.push(line),
    readSecret: async () => "",
  };
  const env = { MUSTER_ADMIN_PASSWORD: "do not show", MUSTER_LOG_LEVEL: "warn" };
  expect(await runCommand(COMMANDS, ["config", "--listen", ":9000,unix:/run/m.sock"], env, io)).toBe(0);
  const words = lines.map((line) => line.split(/ {2,}/));
  expect(words).toContainEqual(["--listen", ":9000,unix:/run/m.sock", "--listen"]);
  expect(words).toContainEqual(["--log-level", "warn", "MUSTER_LOG_LEVEL"]);
  expect(words).toContainEqual(["--data", "./muster-data", "default"]);
  expect(words).toContainEqual(["MUSTER_ADMIN_PASSWORD", "(hidden)", "MUSTER_ADMIN_PASSWORD"]);
  expect(lines.join("\n")).not.toContain("do not show");
  // What a flag says holds no secret, and a list may be empty.
  const flags = ["--database", "postgres://muster@db/muster", "--trusted-proxy", ""];
  lines.length = 0;
  expect(await runCommand(COMMANDS, ["config", ...flags], env, io)).toBe(0);
  const told = lines.map((line) => line.split(/ {2,}/));
  expect(told).toContainEqual(["--database", "postgres://muster@db/muster", "--database"]);
  expect(told).toContainEqual(["--trusted-proxy", "-", "--trusted-proxy"]);
});

test("variables that look like settings are named, and those that Kubernetes sets for a service are not", async () => {
  const complaintsWith = async (env: Record<string, string>) => {
    const complaints: string[] = [];
    const io = {
      print: () => undefined,
      complain: (line: string) => complaints.push(line),
      readSecret: async () => "",
    };
    expect(await runCommand(COMMANDS, ["config"], env, io)).toBe(0);
    return complaints;
  };
  const known = { MUSTER_LOG_LEVEL: "warn", MUSTER_ADMIN_PASSWORD_FILE: "", MUSTER_URL: "https://a" };
  expect(await complaintsWith({ ...known, PATH: "/bin" })).toEqual([]);
  const misspelt = { MUSTER_TRUSTED_PROXIES: "10.0.0.1", MUSTER_PORT: "9000", MUSTER_BASE_URL_FILE: "/url" };
  const warnings = Object.keys(misspelt).map((name) => expect.stringContaining(`warning: ${name} is not`));
  expect(await complaintsWith({ ...known, ...misspelt })).toEqual(warnings);
  const kubernetes = { KUBERNETES_SERVICE_HOST: "10.0.0.1", MUSTER_SERVICE_HOST: "10.0.0.2" };
  expect(
    await complaintsWith({ ...kubernetes, MUSTER_PORT_8080_TCP: "tcp://10.0.0.2:8080", MUSTER_LISTN: ":1" }),
  ).toEqual([expect.stringContaining("MUSTER_LISTN")]);
});

test("the help of a command names its own defaults", () => {
  const helpOf = (name: string) =>
    commandHelp(COMMANDS.find((command) => command.name === name) ?? expect.unreachable());
  expect(helpOf("demo")).toMatch(/--listen.*\(default 127\.0\.0\.1:8080\)/);
  expect(helpOf("demo")).not.toContain("MUSTER_");
  expect(helpOf("install")).toMatch(/--data.*\(default \/var\/lib\/muster, MUSTER_DATA\)/);
});

/** A folder, and a file in a folder that is not there: neither can be read or written. */
const [FOLDER, NOWHERE] = [import.meta.dir, `${import.meta.dir}/not-there/file`];
for (const path of [FOLDER, NOWHERE])
  for (const argv of [
    ["import", path],
    ["expect", path, "--url", "http://127.0.0.1:9", "--token-file", path],
    ["key", "list", "--url", "http://127.0.0.1:9", "--token-file", path],
    ...(path === NOWHERE ? [["backup", "key", path]] : []),
  ])
    test(`muster ${argv[0]} names the file that it cannot use: ${path === FOLDER ? "a folder" : "none"}`, async () => {
      const { code, err } = await run(...argv);
      const verb = argv[0] === "backup" ? "written" : "read";
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringMatching(
          new RegExp(`^(--token-file: )?${RegExp.escape(path)} cannot be ${verb}: `),
        ),
      });
    });
