/** The helper of agents, run by real shells against servers that answer what Muster never would. */
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SCRIPT = readFileSync(join(import.meta.dir, "../../../src/monitoring/actions/helper.sh"), "utf8");
/** Where the script looks besides its PATH. What is there on this machine is nothing to the tests. */
const SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/sbin"];
const SECRET = "s3cret_of-24.characters-x";
const folder = mkdtempSync(join(tmpdir(), "muster-helper-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Asked {
  path: string;
  body: string;
  authorization: string | null;
}

/** What the helper needs besides a shell: everything else is not there. */
const TOOLS = ["head", "tr", "cut", "grep", "sed", "cat"];

/** The script, with folders of a test in place of those of the system. */
function scriptIn(path: string): string {
  const folders = SYSTEM_FOLDERS.map((each) => join(path, each));
  const text = SCRIPT.replace(SYSTEM_FOLDERS.join(":"), folders.join(":"));
  for (const each of folders) expect(text).toContain(each);
  const file = join(path, "helper.sh");
  writeFileSync(file, text);
  return file;
}

/**
 * A folder of programs with a `monit` that notes its arguments, and a client that notes its own before it is run. Nothing
 * else is in its PATH.
 */
function programs(client: "curl" | "wget" | null, name: string, monit: string, elsewhere: string): string {
  const path = join(folder, name);
  const ofPackages = join(path, elsewhere);
  mkdirSync(ofPackages, { recursive: true });
  for (const tool of TOOLS) symlinkSync(Bun.which(tool) ?? tool, join(path, tool));
  const program = (called: string, text: string) => {
    writeFileSync(join(ofPackages, called), `#!/bin/sh\n${text}`);
    chmodSync(join(ofPackages, called), 0o755);
  };
  // Arguments are noted one a line, with a line of their own before each call.
  const note = (called: string) => `printf '%s\\n' "== ${called}" "$@" >>'${path}/calls'\n`;
  program("monit", `${note("monit")}case "$*" in *-i) echo 'Monit ID: agent-1'; exit;; esac\n${monit}`);
  if (client) program(client, `${note(client)}exec ${Bun.which(client)} "$@"`);
  return path;
}

interface Run {
  code: number;
  output: string;
  /** The calls of `monit`, without the one that asks for the id. */
  performed: string[][];
  /** Every argument of the client. */
  clientArguments: string[];
  asked: Asked[];
}

let runs = 0;

/**
 * @param answer of Muster to the first request; a text, or a status
 * @param settings more lines of the settings
 * @param elsewhere folder of `monit` and the client, if that is not the one of its PATH
 */
async function run(
  shell: readonly string[],
  client: "curl" | "wget" | null,
  answer: string | number,
  { settings = "", monit = "", login = `web:${SECRET}`, elsewhere = "" } = {},
): Promise<Run> {
  const asked: Asked[] = [];
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url);
      asked.push({ path, body: await request.text(), authorization: request.headers.get("Authorization") });
      if (path.endsWith("/result")) return new Response("");
      return typeof answer === "number" ? new Response("no", { status: answer }) : new Response(answer);
    },
  });
  const path = programs(client, `run-${++runs}`, monit, elsewhere);
  const file = join(path, "settings");
  writeFileSync(file, `# a comment\nurl=${server.url.origin}/\nlogin=${login}\n${settings}`, { mode: 0o600 });
  const child = Bun.spawn([...shell, scriptIn(path), file], {
    cwd: path,
    env: { PATH: path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaints, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const calls = existsSync(join(path, "calls")) ? readFileSync(join(path, "calls"), "utf8") : "";
  const listed = calls
    .split(/^== /m)
    .slice(1)
    .map((call) => call.replace(/\n$/, "").split("\n"));
  return {
    code,
    output: output + complaints,
    performed: listed
      .filter(([name, ...args]) => name === "monit" && args.at(-1) !== "-i")
      .map(([, ...args]) => args),
    clientArguments: listed.filter(([name]) => name === client).flat(),
    asked,
  };
}

const SHELLS = [["dash"], ["bash", "--posix"], ["busybox", "sh"], ["ksh"]]
  .map(([name = "", ...args]) => [Bun.which(name) ?? "", ...args])
  .filter(([path]) => path !== "");
const CLIENTS = (["curl", "wget"] as const).filter((name) => Bun.which(name));
const PAIRS = SHELLS.flatMap((shell) => CLIENTS.map((client) => ({ shell, client })));

/** In the reply of a server that wants more than it may. */
const HOSTILE = [
  "1\trestart\ta 'quoted' \"name\" `touch pwned` $(touch pwned) $HOME * ; touch pwned & | > pwned \\n",
  "2\trestart\t-c /tmp/evil",
  "3\trestart\t--help",
  "4\tstop\tall",
  "5\tstop\tALL",
  "6\tquit\tweb",
  "7\tstart; touch pwned\tweb",
  "$(touch pwned)\tstart\tweb",
  "-8\tstart\tweb",
  "9\tstart\t",
  "10\tstart",
  "11",
  "",
  "12\tstart\ttab\tin name",
  "13\tstop\twith \u001b[31m control",
  "14\tstop\tcarriage return\r",
  "REPLY",
  "`touch pwned`",
  "15\tmonitor\t  spaces  ",
  "16\tunmonitor\tx\\ty",
  "17\tstop\tüñí",
];

for (const { shell, client } of PAIRS)
  describe(`with ${shell.join(" ")} and ${client}`, () => {
    test("what Muster answers is data: no part of it is evaluated, split or an option", async () => {
      const { performed, asked, code } = await run(shell, client, `${HOSTILE.join("\n")}\n`);
      expect(performed).toEqual([
        ["restart", HOSTILE[0]?.split("\t")[2] ?? ""],
        ["monitor", "  spaces  "],
        ["unmonitor", "x\\ty"],
        ["stop", "üñí"],
      ]);
      expect(asked.filter(({ path }) => path.endsWith("/result")).map(({ body }) => body)).toEqual(
        [1, 15, 16, 17].map((id) => `agent-1\n${id}\t0\t`),
      );
      expect(code).toBe(0);
      expect(existsSync(join(folder, `run-${runs}`, "pwned"))).toBe(false);
    });

    test("the secret is in no argument, and is sent to Muster alone", async () => {
      const { clientArguments, asked } = await run(shell, client, "1\trestart\tweb\n");
      expect(clientArguments.length).toBeGreaterThan(5);
      expect(clientArguments.join("\n")).not.toContain(SECRET);
      const authorization = `Basic ${Buffer.from(`web:${SECRET}`).toString("base64")}`;
      expect(asked).toEqual([
        { path: "/agent/actions", body: "agent-1", authorization },
        { path: "/agent/actions/result", body: "agent-1\n1\t0\t", authorization },
      ]);
    });

    test("the exit code and a bounded first line of the output are reported", async () => {
      const monit = `printf 'first \\033[31m line\\twith tab %0300d\\nsecond\\n' 7; exit 3`;
      const { asked, code } = await run(shell, client, "1\trestart\tweb\n2\tstop\tdb\n", { monit });
      const reports = asked.slice(1).map(({ body }) => body.split("\n")[1]?.split("\t") ?? []);
      expect(reports.map(([id, exit]) => [id, exit])).toEqual([
        ["1", "3"],
        ["2", "3"],
      ]);
      const [, , line = ""] = reports[0] ?? [];
      expect([line.length, line.startsWith("first [31m linewith tab 000")]).toEqual([200, true]);
      expect(code).toBe(0);
    });

    test("an answer that is far too long is not acted on", async () => {
      const { performed, code, output } = await run(shell, client, `1\tstop\t${"x".repeat(300_000)}\n`);
      expect([performed, code]).toEqual([[], 1]);
      expect(output).toStartWith("muster-actions: ");
    });

    test("a refusal is a failure of the check, which says so in a line", async () => {
      for (const status of [401, 403, 429, 500]) {
        const { performed, code, output } = await run(shell, client, status);
        expect([performed, code]).toEqual([[], 1]);
        expect(output).toMatch(/^muster-actions: no answer from http:\/\/127\.0\.0\.1:\d+/);
        expect(output).not.toContain(SECRET);
      }
    });

    test("nothing to do is a success without a word", async () => {
      expect(await run(shell, client, "")).toMatchObject({ code: 0, output: "", performed: [] });
    });

    test("the control file of the settings is passed on", async () => {
      const settings = "control=/etc/a file/monitrc\n";
      const { performed } = await run(shell, client, "1\tstop\tweb\n", { settings });
      expect(performed).toEqual([["-c", "/etc/a file/monitrc", "stop", "web"]]);
    });

    test("client and monit are found where FreeBSD has them, which the PATH of Monit lacks", async () => {
      const { code, performed } = await run(shell, client, "1\tstop\tweb\n", { elsewhere: "usr/local/bin" });
      expect([code, performed]).toEqual([0, [["stop", "web"]]]);
    });

    test("a login that could be a line of its client's settings is refused", async () => {
      for (const login of ['web:a"b', "web:a b", "web", ":x", "web:", "web:a\\"]) {
        const { code, output, asked } = await run(shell, client, "", { login });
        expect([code, asked]).toEqual([1, []]);
        expect(output).toEndWith("has no login= of NAME:SECRET\n");
      }
    });
  });

test("a machine without curl and wget is told so", async () => {
  const [shell = ["sh"]] = SHELLS;
  const { code, output } = await run(shell, null, "");
  expect([code, output]).toEqual([1, "muster-actions: needs curl or GNU wget\n"]);
});
