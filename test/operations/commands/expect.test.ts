import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../../../src/commands.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { TestApp } from "../../support/app.ts";

let app: TestApp;
let server: Bun.Server<unknown>;
let environment: Record<string, string>;
let folder: string;

beforeEach(async () => {
  app = new TestApp();
  const admin = await app.admin();
  await admin.post("/api/1/admin/groups/create", { name: "web" });
  const { json } = await admin.post("/api/1/tokens/create", { name: "expect", scope: "full" });
  const incoming = { socket: { remoteAddress: "127.0.0.1" } };
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => app.app.request(request, undefined, { incoming } as never),
  });
  environment = { MUSTER_URL: server.url.origin, MUSTER_TOKEN: json.token };
  folder = mkdtempSync(join(tmpdir(), "muster-expect-"));
});

afterEach(() => {
  server.stop(true);
  rmSync(folder, { recursive: true });
});

/** @returns the exit code, and what the command printed */
async function run(...argv: string[]): Promise<[number, string]> {
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const code = await runCommand(COMMANDS, argv, environment, {
    print: say,
    complain: say,
    readSecret: () => Promise.reject(new Error("nothing is asked")),
  });
  return [code, said.join("\n")];
}

function file(text: string | Uint8Array): string {
  const path = join(folder, "hosts");
  writeFileSync(path, text);
  return path;
}

test("a list is previewed, then expected, and listed", async () => {
  const path = file("[web]\nweb[1:2]\n[later]\nweb2\n");
  expect(await run("expect", path, "--preview", "--tag", "edge")).toEqual([
    0,
    "2\tweb1\tadd\n2\tweb2\tadd\nunknown host groups: later\n2 add, 0 expected, 0 reports, 0 ambiguous, 0 wrong",
  ]);
  expect(app.rows("select * from expected_hosts")).toEqual([]);
  const other = file("[never]\nweb9\n");
  const leftOut = "1 added, 0 skipped\nleft out, as there are no such host groups: never";
  expect(await run("expect", other)).toEqual([0, leftOut]);
  app.db.$client.run("delete from expected_hosts");
  file("[web]\nweb[1:2]\n[later]\nweb2\n");
  const args = ["--group", "web", "--tag", "edge", "--create-groups"];
  expect(await run("expect", path, ...args)).toEqual([0, "2 added, 0 skipped"]);
  expect(app.rows("select hostname, hostgroups, tags from expected_hosts order by id")).toEqual([
    { hostname: "web1", hostgroups: "[1]", tags: '["edge"]' },
    { hostname: "web2", hostgroups: "[1,2]", tags: '["edge"]' },
  ]);
  expect(await run("expect", path)).toEqual([0, "0 added, 2 skipped"]);
  await app.report({ id: "a", hostname: "web1" });
  const [code, lines] = await run("expected");
  expect([code, lines.split("\n").map((line) => line.split("\t").slice(0, 2))]).toEqual([
    0,
    [
      ["web1", "arrived"],
      ["web2", "waiting"],
    ],
  ]);
});

test("a wrong line is named, and nothing is expected", async () => {
  const path = file("web1\nweb[2:1]\n");
  expect(await run("expect", path, "--preview")).toEqual([
    1,
    "1\tweb1\tadd\n2\tweb[2:1]\twrong\tits range ends before it begins\n1 add, 0 expected, 0 reports, 0 ambiguous, 1 wrong",
  ]);
  const [code, text] = await run("expect", path);
  expect([code, text]).toEqual([1, expect.stringContaining("Line 2 of the list (web[2:1]): its range ends")]);
  const none = join(folder, "none");
  for (const [named, reason] of [
    [none, "there is no such file or folder (ENOENT)"],
    [folder, "it is a folder (EISDIR)"],
    [join(path, "none"), "a part of its path is not a folder (ENOTDIR)"],
  ] as const)
    expect(await run("expect", named)).toEqual([1, `${named} cannot be read: ${reason}`]);
  expect(app.rows("select * from expected_hosts")).toEqual([]);
});

test("a list in another encoding than UTF-8 is refused, since names in it would be stored wrongly", async () => {
  const latin1 = Buffer.from("hostname,description\nweb1,B\xfcro\n", "latin1");
  const path = file(latin1);
  const reason = `${path} is not a text in UTF-8: save it in this encoding first`;
  expect(await run("expect", path, "--preview")).toEqual([1, reason]);
  expect(await run("expect", path)).toEqual([1, reason]);
  expect(app.rows("select * from expected_hosts")).toEqual([]);
  file(Buffer.from(`\ufeff${latin1.toString("latin1")}`));
  expect(await run("expect", path)).toEqual([0, "1 added, 0 skipped"]);
  expect(app.rows("select description from expected_hosts")).toEqual([{ description: "Büro" }]);
});

test("columns that mean nothing are named: one may be misspelt", async () => {
  const path = file("hostname,Gruops,owner,\nweb1,web,me\n");
  const [code, preview] = await run("expect", path, "--preview");
  expect([code, preview.split("\n")]).toEqual([
    0,
    ["2\tweb1\tadd", "ignored columns: gruops, owner", "1 add, 0 expected, 0 reports, 0 ambiguous, 0 wrong"],
  ]);
  expect(await run("expect", path)).toEqual([0, "1 added, 0 skipped\nignored columns: gruops, owner"]);
});

test("a host of a form without lines is previewed without the number of one", async () => {
  const path = file('{"web": {"hosts": ["web1"]}}');
  const [code, lines] = await run("expect", path, "--preview");
  expect([code, lines.split("\n")[0]]).toEqual([0, "web1\tadd"]);
});
