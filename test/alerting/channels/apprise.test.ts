/** What an Apprise library makes of messages, behind a server of its two addresses that notify. */
import { expect } from "bun:test";
import { join } from "node:path";
import { needing } from "../../support/programs.ts";
import { channelOf, message, Receiver } from "./support.ts";

const { afterEach, beforeEach, test } = needing("apprise");

/** Debian's own, which has its packages. */
const PYTHON = "/usr/bin/python3";

let far: Receiver;
let server: Bun.Subprocess<"ignore", "pipe", "inherit">;
let url: string;
beforeEach(async () => {
  far = await Receiver.start();
  const target = `json://127.0.0.1:${far.port}`;
  const configurations = {
    oncall: [
      ["phone", `${target}/phone`],
      ["desk", `${target}/desk`],
    ],
  };
  const program = join(import.meta.dir, "apprise-server.py");
  server = Bun.spawn([PYTHON, program, JSON.stringify(configurations)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = server.stdout.getReader();
  let port = "";
  while (!port.endsWith("\n")) port += new TextDecoder().decode((await output.read()).value);
  url = `http://127.0.0.1:${port.trim()}`;
});
afterEach(async () => {
  server.kill();
  await server.exited;
  await far[Symbol.asyncDispose]();
});

const received = () => far.received.map(({ path, json }) => [path, json.title, json.type]).sort();
const TITLE = "mysqld on db-1: connection refused";

test("a message reaches every service of a configuration, with its urgency", async () => {
  expect(await channelOf("apprise", { url, key: "oncall" }).send()).toEqual({
    outcome: "sent",
    detail: '200 {"error": null}',
  });
  expect(received()).toEqual([
    ["/desk", TITLE, "failure"],
    ["/phone", TITLE, "failure"],
  ]);
  expect(far.received[0]?.json.message).toContain("connection refused (Connection)");
  expect(far.received[0]?.json.message).toEndWith("https://muster.example/events/17");
});

test("a message reaches the services of its tag, or those that came with it", async () => {
  await channelOf("apprise", { url, key: "oncall", tag: "desk" }).send(message({ kind: "recovery" }));
  await channelOf("apprise", { url, urls: `json://127.0.0.1:${far.port}/here` }).send(
    message({ kind: "test" }),
  );
  expect(received()).toEqual([
    ["/desk", `Recovered after 1m: ${TITLE}`, "success"],
    ["/here", TITLE, "info"],
  ]);
});

test("a failed service is tried again, a missing key is not", async () => {
  far.answers(500);
  expect(await channelOf("apprise", { url, key: "oncall" }).send()).toMatchObject({ outcome: "failed" });
  expect(await channelOf("apprise", { url, key: "other" }).send()).toMatchObject({ outcome: "refused" });
  expect(far.received).toHaveLength(2);
});
