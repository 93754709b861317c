/** The cookbook of docs/api.md, run line by line by curl. */
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf } from "../docs/markdown.ts";
import { needing } from "../support/programs.ts";
import { replaced, Sandbox } from "./documented.ts";
import { Muster } from "./support.ts";

const { test } = needing("curl");

const cookbook = blocksOf("docs/api.md").filter(({ language }) => language === "sh");

test("the cookbook succeeds line by line against a server with a host, an event and a channel", async () => {
  using sandbox = new Sandbox();
  await using muster = await Muster.start({ cwd: sandbox.path });
  const services = [
    { name: "web", status: 512 },
    { name: "worker", status: 0 },
  ];
  const event = { service: "web", message: "process is not running" };
  expect((await muster.report({ hostname: "web1", services, event })).status).toBe(200);
  const admin = await muster.admin();
  const channel = { name: "ops", kind: "webhook", settings: { url: "https://192.0.2.1/hook" } };
  expect((await admin.post("/api/1/admin/channels/create", channel)).json).toMatchObject({ id: 1 });

  // Each reply on a line of its own.
  writeFileSync(join(sandbox.path, ".curlrc"), 'write-out = "\\n"\n');
  const script = cookbook.map(({ text }) => text).join("");
  const output = await sandbox.run(replaced(script, [["127.0.0.1:8080", new URL(muster.url).host]]));
  // No agent can be reached, and there is no message that could be sent again. Everything else succeeds.
  const errors = output.split("\n").filter((line) => line.startsWith('{"error":'));
  expect(errors.map((line) => JSON.parse(line).code)).toEqual(["agent.failed", "object.unknown"]);
  expect(output).toContain("web1");
  expect(output).toContain("304");
  expect((await admin.get("/api/1/admin/users/list")).text).toContain("Ann Example");
  expect((await admin.get("/api/1/admin/rules/list")).text).toContain("Europe/Oslo");
});
