/** The compiled executable brings along what another one knows, while both run. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventXml } from "../support/agent-messages.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { executableAlone } from "./alone.ts";
import { Muster, run } from "./support.ts";

const emptyFolder = executableAlone();
const HOUR = 3600;

test("hosts, groups, users and past events come along from one process to another", async () => {
  using folder = emptyFolder();
  const { path: cwd } = folder;
  await using old = await Muster.start({ ...folder, cwd, data: "old" });
  await using muster = await Muster.start({ ...folder, cwd, data: "new" });
  const now = Math.floor(Date.now() / 1000);
  const agent = { id: "a", hostname: "alpha", services: [{ name: "web" }] };
  const report = (server: Muster, hoursAgo: number, event: EventXml) =>
    server.report({ ...agent, at: now, event: { ...event, collectedSec: now - hoursAgo * HOUR } });
  await report(old, 20, { service: "Monit", id: 65_536, state: 2 });
  await report(old, 10, { service: "web", message: "web is gone" });
  await report(old, 9, { service: "web", state: 0, message: "web is back" });
  const source = await old.admin();
  await source.post("/api/1/admin/groups/create", { name: "cellar" });
  await source.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
  const anna = { uname: "anna", fullname: "Anna", password: "a long secret" };
  await source.post("/api/1/admin/users/create", anna);

  const target = await muster.admin();
  const { token } = (await target.post("/api/1/tokens/create", { name: "import", scope: "full" })).json;
  for (const [name, text] of [
    ["token.txt", token],
    ["password.txt", ADMIN_PASSWORD],
  ] as const)
    writeFileSync(join(cwd, name), text, { mode: 0o600 });
  const server = ["--url", muster.url, "--token-file", "token.txt"];
  const command = ["import-from", old.url, "--user", "admin", "--password-file", "password.txt", ...server];
  const printed = (stdout: string) => stdout.split("\n").slice(0, 4);
  const first = await run(command, folder);
  expect([first.code, first.stderr, printed(first.stdout)]).toEqual([
    0,
    "",
    [
      "groups: 1 added, 0 completed, 0 here already",
      "hosts: 1 added, 0 completed, 0 here already",
      "users: 1 added, 0 completed, 1 here already",
      "events: 3 added, 0 here already, 0 older than Muster keeps events",
    ],
  ]);
  await muster.report({ ...agent, at: now });
  const range = { range: 12, datefrom: now - 40 * HOUR, dateto: now };
  // One hour of the 20 since the agent started.
  expect((await target.get("/api/1/reports/uptime/get", { id: 1, ...range })).json.uptime).toBe(95);
  await muster.client().signIn("anna", "a long secret");

  // What waited in the queue of the agent for both servers is here already.
  await report(muster, 10, { service: "web", message: "web is gone" });
  const second = await run(command, folder);
  expect(printed(second.stdout)).toEqual([
    "groups: 0 added, 0 completed, 1 here already",
    "hosts: 0 added, 0 completed, 1 here already",
    "users: 0 added, 0 completed, 2 here already",
    "events: 0 added, 3 here already, 0 older than Muster keeps events",
  ]);
  expect((await target.get("/api/1/reports/events/list")).json.totalRecords).toBe(3);
});
