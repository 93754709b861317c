import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

let app: TestApp;
let server: Bun.Server<unknown>;
let environment: Record<string, string>;
let said: string[];

async function serve(baseUrl: string): Promise<void> {
  app = new TestApp({ baseUrl });
  const admin = await app.admin();
  await admin.post("/api/1/admin/groups/create", { name: "web" });
  const { json } = await admin.post("/api/1/tokens/create", { name: "keys", scope: "full" });
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => app.app.request(request, undefined, { incoming } as never),
  });
  environment = { MUSTER_URL: server.url.origin, MUSTER_TOKEN: json.token };
  said = [];
}

beforeEach(() => serve("https://muster.example"));
afterEach(() => server.stop(true));

const say = (line: string) => void said.push(line);

/** @returns the exit code, and what the command printed */
async function key(...argv: string[]): Promise<[number, string]> {
  said = [];
  const code = await runCommand(COMMANDS, ["key", ...argv], environment, {
    print: say,
    complain: say,
    readSecret: () => Promise.reject(new Error("nothing is asked")),
  });
  return [code, said.join("\n")];
}

const loginIn = (lines: string) => /mmonit https:\/\/(.*)@muster\.example\/collector/.exec(lines)?.[1] ?? "";

async function report(login: string, id: string): Promise<number> {
  const headers = { Authorization: `Basic ${Buffer.from(login).toString("base64")}` };
  return (await app.report({ id, hostname: id, at: app.clock.now() }, "198.51.100.7", headers)).status;
}

test("a key is created, listed, replaced, given hosts, and ended", async () => {
  const [code, lines] = await key(
    "create",
    "web",
    "--group",
    "web",
    "--tag",
    "edge,env=prod",
    "--hosts",
    "web-*",
  );
  expect([code, lines]).toEqual([0, expect.stringContaining("set eventqueue")]);
  const first = loginIn(lines);
  expect(first).toStartWith("web:");
  expect(await report(first, "web-1")).toBe(200);
  expect(await report(first, "db-1")).toBe(403);
  expect(app.muster.agentKeys.content(1)).toMatchObject({ hostgroups: [1], tags: ["edge", "env=prod"] });
  const second = loginIn((await key("replace", "web", "--overlap", "1"))[1]);
  expect([await report(first, "web-1"), await report(second, "web-2")]).toEqual([200, 200]);
  app.muster.keyRing.storeUse();
  const date = (at: number) => `${new Date(at * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const line = `web\t2 hosts\t${date(START)}\t1 on the previous secret, until ${date(START + 3600)}`;
  expect(await key("list")).toEqual([0, line]);
  const other = loginIn((await key("create", "other"))[1]);
  expect(await report(other, "web-2")).toBe(403);
  expect(await key("move", "other", "--host", "web-2")).toEqual([0, "other may take over 1 host"]);
  expect(await report(other, "web-2")).toBe(200);
  expect(await key("end", "web", "--in", "0.5")).toEqual([0, `web ends ${date(START + 1800)}`]);
  expect(await report(second, "web-1")).toBe(200);
  expect(await key("end", "web")).toEqual([0, "web has ended"]);
  expect(await report(second, "web-1")).toBe(401);
});

test("what a host needs to ask for its actions is printed as commands of a shell", async () => {
  const login = loginIn((await key("create", "web"))[1]);
  const [code, text] = await key("helper", "web");
  expect(code).toBe(0);
  expect(text).toContain(`\nurl=https://muster.example\nlogin=${login}\n`);
  expect(text).toContain("\nchmod 600 /etc/muster-actions.conf\n");
  expect(text).toContain("\n# set httpd unixsocket /var/run/monit.sock\n");
  const parsed = Bun.spawnSync(["sh", "-n"], { stdin: Buffer.from(text), stderr: "pipe" });
  expect([parsed.exitCode, parsed.stderr.toString()]).toEqual([0, ""]);
});

test("an enrolment code is printed as the line to paste, with its uses and its end", async () => {
  await key("create", "web");
  const [code, line] = await key("code", "web", "--uses", "20", "--in", "2");
  expect([code, line]).toEqual([
    0,
    expect.stringMatching(/^curl -fsS https:\/\/muster\.example\/enrol\.sh \| MUSTER_CODE=\S+ sh$/),
  ]);
  await key("code", "web");
  expect(
    app.rows("select key_id as key, uses, ends - created as lifetime from enrolment_codes order by id"),
  ).toEqual([
    { key: 1, uses: 20, lifetime: 7200 },
    { key: 1, uses: 1, lifetime: 86_400 },
  ]);
  for (const [argv, reason] of [
    [["--uses", "many"], "--uses must be a whole number from 1 to 10000"],
    [["--uses", "0"], "--uses must be a whole number from 1 to 10000"],
    [["--in", "soon"], "--in must be a number of hours, at most 2160 and at least 60 seconds"],
    [["--in", "0"], "--in must be a number of hours, at most 2160 and at least 60 seconds"],
  ] as const)
    expect(await key("code", "web", ...argv)).toEqual([1, reason]);
});

test("an enrolment code for an address without https comes with a warning", async () => {
  await server.stop(true);
  await serve("http://muster.example");
  await key("create", "web");
  expect(await key("code", "web")).toEqual([
    0,
    expect.stringMatching(
      /^warning: the address is not https: .*\ncurl -fsS http:\/\/muster\.example\/enrol\.sh /,
    ),
  ]);
});

test("what cannot be done says why, and changes nothing", async () => {
  await key("create", "web");
  for (const [argv, reason] of [
    [["end", "nothing"], 'there is no key "nothing"'],
    [["end", "web", "--in", "soon"], "--in must be a number of hours"],
    [["end", "web", "--in", "9999"], "--in must be a number of hours, at most 2160"],
    [["replace", "web", "--overlap", "9999"], "--overlap must be a number of hours, at most 2160"],
    [["create", "n".repeat(65)], "NAME must be "],
    [["create", "new", "--hosts", "h".repeat(256)], "--hosts must be a text of at most 255 characters"],
    [["create", "new", "--tag", "a!b"], "--tag must be a tag: "],
    [["create", "web"], 'There is already a key "web"'],
    [["create", "new", "--group", "nothing"], 'there is no host group "nothing"'],
    [["move", "web"], "--host must name the hosts"],
    [["move", "web", "--host", "nothing"], 'there is no host "nothing"'],
  ] as const)
    expect(await key(...argv)).toEqual([1, expect.stringContaining(reason)]);
  expect(app.rows("select name, ends from agent_keys")).toEqual([{ name: "web", ends: null }]);
});
