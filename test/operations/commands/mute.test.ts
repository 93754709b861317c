import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

let app: TestApp;
let server: Bun.Server<unknown>;
let folder: string;
let environment: Record<string, string>;
let said: string[];

beforeEach(async () => {
  app = new TestApp();
  const admin = await app.admin();
  await app.report({ id: "a-1", hostname: "web-1" });
  await app.report({ id: "a-2", hostname: "web-2" });
  await admin.post("/api/1/admin/groups/create", { name: "web" });
  const { json } = await admin.post("/api/1/tokens/create", { name: "mute", scope: "full" });
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => app.app.request(request, undefined, { incoming } as never),
  });
  folder = mkdtempSync(join(tmpdir(), "muster-mute-"));
  writeFileSync(join(folder, "token"), `${json.token}\n`, { mode: 0o600 });
  environment = { MUSTER_URL: server.url.origin, MUSTER_TOKEN_FILE: join(folder, "token") };
  said = [];
});

afterEach(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

const say = (line: string) => void said.push(line);
const mute = (...argv: string[]) =>
  runCommand(COMMANDS, ["mute", ...argv], environment, {
    print: say,
    complain: say,
    readSecret: () => Promise.reject(new Error("nothing is asked")),
  });
const mutes = async () => (await app.muster.queries.muteList("test", "all")).value.records;

/** A program that ends with exit code 3 once the file exists. */
const until = (file: string) => ["sh", "-c", `while [ ! -e ${file} ]; do sleep 0.02; done; exit 3`];

test("a command runs under a mute, whose lease ends with it, and its exit code is passed on", async () => {
  const file = join(folder, "done");
  const running = mute("--group", "web", "--grace", "5", "--", ...until(file));
  while ((await mutes()).length === 0) await Bun.sleep(5);
  const [first] = await mutes();
  expect(first).toMatchObject({
    uname: "admin",
    filter: { hostgroups: [1] },
    to: START + 180 + 300,
    lease: { grace: 5, until: START + 180, released: false },
  });
  expect(first?.note).toStartWith("sh -c while");
  writeFileSync(file, "");
  expect(await running).toBe(3);
  expect((await mutes())[0]).toMatchObject({ to: START + 300, lease: { until: START, released: true } });
  expect(said).toEqual([]);
});

test("options of the command are its own, and a signal that ends it is told as a shell does", async () => {
  expect(
    await mute("--host", "web-1,web-2", "--note", "boot", "--", "sh", "-c", "kill -9 $$", "--help"),
  ).toBe(137);
  expect((await mutes())[0]).toMatchObject({ note: "boot", filter: { hosts: [1, 2] } });
});

test("a name that several hosts share mutes all of them", async () => {
  await app.report({ id: "a-3", hostname: "web-1" });
  expect(await mute("--host", "web-1", "--minutes", "5")).toBe(0);
  expect((await mutes())[0]).toMatchObject({ filter: { hosts: [1, 3] } });
});

test("someone who operates a group, and does not manage it, mutes it by its name", async () => {
  await (await app.admin()).post("/api/1/admin/grants/set", { uname: "user", operate: 1 });
  const { json } = await (await app.user()).post("/api/1/tokens/create", { name: "mute", scope: "full" });
  writeFileSync(join(folder, "token"), json.token);
  expect([await mute("--group", "web", "--minutes", "1"), said]).toEqual([0, ["muted for 1 minute"]]);
  expect((await mutes())[0]).toMatchObject({ uname: "user", filter: { hostgroups: [1] } });
});

test("a command has the file mode mask of the caller", async () => {
  const file = join(folder, "mask");
  const umask = process.umask(0o027);
  try {
    expect(await mute("--host", "web-1", "--", "sh", "-c", `umask > ${file}`)).toBe(0);
    expect(Number.parseInt(await Bun.file(file).text(), 8)).toBe(0o027);
  } finally {
    process.umask(umask);
  }
});

test("a token in a file that others can read is not used", async () => {
  chmodSync(join(folder, "token"), 0o644);
  expect(await mute("--host", "web-1", "--minutes", "5")).toBe(1);
  expect(said.join()).toContain("token can be read by others; run: chmod 600");
  expect(await mutes()).toEqual([]);
});

test("a command that cannot be started ends the lease too", async () => {
  expect(await mute("--host", "web-1", "--", "/nothing/there")).toBe(127);
  expect((await mutes())[0]?.lease?.released).toBe(true);
});

test("without a command it lasts for minutes", async () => {
  expect(await mute("--host", "web-1", "--service", "n*", "--minutes", "30")).toBe(0);
  expect((await mutes())[0]).toMatchObject({
    to: START + 1800,
    filter: { hosts: [1], servicenames: ["n*"] },
  });
});

const REFUSED: Readonly<Record<string, readonly [string[], string]>> = {
  "an unknown group": [["--group", "db"], 'there is no host group "db"'],
  "nothing to mute": [[], "--host, --group, --tag or --service must say what is muted"],
  "a note that is too long": [["--host", "web-1", "--note", "n".repeat(256)], "--note must be a text of"],
  "a tag that is none": [["--tag", "a!b"], "--tag must be a tag: "],
  "a grace that is none": [
    ["--host", "web-1", "--grace", "soon"],
    "--grace must be a number of minutes from",
  ],
  "minutes as well": [["--host", "web-1", "--minutes", "5"], "either --minutes or -- and a command"],
};
for (const [title, [options, message]] of Object.entries(REFUSED))
  test(`with ${title} nothing is started and nothing muted`, async () => {
    const file = join(folder, "started");
    expect(await mute(...options, "--", "touch", file)).toBe(1);
    expect(said.join()).toContain(message);
    expect(await Bun.file(file).exists()).toBe(false);
    expect(await mutes()).toEqual([]);
  });

test("with a token that is unknown nothing is started", async () => {
  writeFileSync(join(folder, "token"), "muster_wrong");
  const file = join(folder, "started");
  expect(await mute("--host", "web-1", "--", "touch", file)).toBe(1);
  expect(said.join()).toContain("Sign in first");
  expect(await Bun.file(file).exists()).toBe(false);
});
