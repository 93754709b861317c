/**
 * The image of packaging/Dockerfile, built and run by buildah. Base images cannot be fetched in a test: an image with
 * the same name stands in for it, which has the user of the real one and, of Debian, only the libraries of the C
 * library that the executable loads.
 */
import { expect } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathOf } from "../../scripts/test-tools.ts";
import { VERSION } from "../../src/platform/version.ts";
import { endGroupWithTests } from "../support/groups.ts";
import { needing } from "../support/programs.ts";
import { EXECUTABLE, eventually, freePort, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("buildah");

const ROOT = join(import.meta.dir, "../..");
const BASE = "gcr.io/distroless/base-debian12:nonroot";
const NONROOT = 65532;
const folder = temporaryFolder();
const port = freePort();

/** Images and containers of this test only. Plain folders need neither mounts nor privileges. */
const storage = [
  "--storage-driver",
  "vfs",
  "--root",
  join(folder.path, "storage"),
  "--runroot",
  join(folder.path, "run"),
];
const command = (...args: string[]) => [pathOf("buildah"), ...storage, ...args];

function buildah(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command(...args), { cwd: ROOT, stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`buildah ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString().trim();
}

/** The files that the executable loads at its start: the loader and parts of the C library. */
function librariesOf(executable: string): string[] {
  const { stdout } = Bun.spawnSync(["ldd", executable]);
  return [...stdout.toString().matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}

function buildBase(): void {
  const root = join(folder.path, "base");
  for (const library of librariesOf(EXECUTABLE)) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
    chmodSync(join(root, library), 0o755);
  }
  mkdirSync(join(root, "etc"));
  writeFileSync(join(root, "etc/passwd"), `nonroot:x:${NONROOT}:${NONROOT}::/home/nonroot:/sbin/nologin\n`);
  mkdirSync(join(folder.path, "home/nonroot"), { recursive: true });
  const file = join(folder.path, "Dockerfile");
  writeFileSync(file, `FROM scratch\nCOPY base /\nCOPY --chown=${NONROOT}:${NONROOT} home /home\n`);
  buildah("bud", "--isolation", "chroot", "-t", BASE, "-f", file, folder.path);
}

interface Settings {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Volumes: Record<string, object>;
  StopSignal: string;
  Healthcheck: { Test: string[] };
}

let settings: Settings;
let container: string;
/** A command in the container, as its user and with its environment. */
const inside = (...args: string[]) =>
  command(
    "run",
    "--isolation",
    "chroot",
    "--env",
    `MUSTER_LISTEN=127.0.0.1:${port}`,
    container,
    "--",
    ...args,
  );

beforeAll(() => {
  buildBase();
  buildah(
    "bud",
    "--pull-never",
    "--isolation",
    "chroot",
    "--format",
    "docker",
    "-t",
    "muster",
    "-f",
    "packaging/Dockerfile",
    ".",
  );
  settings = JSON.parse(buildah("inspect", "--type", "image", "muster")).Docker.config;
  container = buildah("from", "--pull-never", "localhost/muster");
});
afterAll(() => {
  buildah("rm", "--all");
  buildah("rmi", "--all", "--force");
  folder.remove();
});

test("the image runs the executable as a user without rights, on a volume that belongs to that user", () => {
  expect(settings).toMatchObject({
    User: `${NONROOT}:${NONROOT}`,
    Entrypoint: ["/usr/bin/muster"],
    Cmd: ["serve"],
    Volumes: { "/data": {} },
    StopSignal: "SIGTERM",
  });
  expect(settings.Env).toContain("MUSTER_DATA=/data");
});

test("a container with nothing else in it starts, is healthy, and ends", async () => {
  const [, ...health] = settings.Healthcheck.Test;
  // Their exit codes alone: buildah may lose what a command writes right before it ends.
  expect(Bun.spawnSync(inside(...settings.Entrypoint, "version")).exitCode).toBe(0);

  const server = Bun.spawn(["setsid", ...inside(...settings.Entrypoint, ...settings.Cmd)], {
    stdout: "pipe",
    stderr: "pipe",
  });
  endGroupWithTests(server);
  let output = "";
  const collected = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of server.stdout) output += decoder.decode(chunk, { stream: true });
  })();
  const answer = await eventually("it listens", () => fetch(`http://127.0.0.1:${port}/healthz`));
  expect(await answer.json()).toEqual({ status: "ok", version: VERSION });
  expect(Bun.spawnSync(inside(...health)).exitCode).toBe(0);
  await eventually("it says where its data is", () => output.includes("data=/data"));
  server.kill("SIGTERM");
  await Promise.all([server.exited, collected]);
  await eventually("it is gone", () => Bun.spawnSync(inside(...health)).exitCode === 1);
});
