/** A server whose log goes to a pipe that no one reads. */
import { expect, test } from "bun:test";
import { closeSync, constants, openSync, readSync, renameSync } from "node:fs";
import { join } from "node:path";
import { TestClient } from "../support/client.ts";
import {
  EXECUTABLE,
  eventually,
  freePort,
  neutralEnvironment,
  PASSWORDS,
  temporaryFolder,
} from "./support.ts";

/** The present content of a pipe. */
function readAll(pipe: number): string {
  const chunk = Buffer.alloc(1024 * 1024);
  let text = "";
  try {
    for (let length = readSync(pipe, chunk); length > 0; length = readSync(pipe, chunk))
      text += chunk.toString("utf8", 0, length);
  } catch (error) {
    if ((error as { code?: string }).code !== "EAGAIN") throw error;
  }
  return text;
}

function unread(cwd: string) {
  const path = join(cwd, "log");
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const end = openSync(path, constants.O_WRONLY);
  const port = freePort();
  const child = Bun.spawn([EXECUTABLE, "serve", "--data", "data", "--listen", `127.0.0.1:${port}`], {
    cwd,
    env: { ...neutralEnvironment(cwd), ...PASSWORDS },
    stdio: ["ignore", end, "ignore"],
  });
  closeSync(end);
  const client = new TestClient((request) => fetch(request), `http://127.0.0.1:${port}`);
  const dispose = async () => {
    child.kill("SIGKILL");
    await child.exited;
    closeSync(pipe);
  };
  return { child, client, pipe, [Symbol.asyncDispose]: dispose };
}

/** Makes the server log a line of some kilobytes for each of `count` requests, and waits for their replies. */
async function logMuch(cwd: string, client: TestClient, count: number): Promise<void> {
  const file = join(cwd, "data/muster.db");
  renameSync(file, `${file}.away`);
  for (let i = 0; i < count; i++) expect((await client.get(`/api/1/${"x".repeat(8000)}`)).status).toBe(503);
  renameSync(`${file}.away`, file);
}

test("it answers however much it logs, and says how many lines it dropped once somebody reads", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using server = unread(cwd);
  const { client, pipe } = server;
  await eventually("it listens", async () => (await client.get("/healthz")).status === 200);
  const requests = 300;
  await logMuch(cwd, client, requests);
  let log = "";
  await eventually("it tells of dropped lines", () => {
    log += readAll(pipe);
    return /dropped.* lines=\d+\n/.test(log);
  });
  const dropped = Number(/dropped.* lines=(\d+)/.exec(log)?.[1]);
  const written = log.split("\n").filter((line) => line.startsWith("warn request refused path=/api/1/x"));
  expect(written.length).toBeLessThan(requests);
  // Lines about other things may have been dropped, too.
  expect(written.length + dropped).toBeGreaterThanOrEqual(requests);
  expect(log).toStartWith("info ");
});

test("it stops in good order", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using server = unread(cwd);
  const { client, child } = server;
  await eventually("it listens", async () => (await client.get("/healthz")).status === 200);
  await logMuch(cwd, client, 50);
  child.kill("SIGTERM");
  await child.exited;
  expect(child.exitCode).toBe(0);
});
