/** The container images of a release: loaded and run by buildah, and as any user on a root that cannot be written. */
import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchDebianPackages } from "../../packaging/debian-packages.ts";
import { buildImage, IMAGE_PACKAGES } from "../../packaging/image.ts";
import { pathOf } from "../../scripts/test-tools.ts";
import { VERSION } from "../../src/platform/version.ts";
import { endGroupWithTests } from "../support/groups.ts";
import { needing } from "../support/programs.ts";
import { EXECUTABLE, eventually, freePort, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing(
  "buildah",
  "apt-get",
  "dpkg-deb",
  "debian-archive-keyring",
  "unshare",
);

const OURS = process.arch === "arm64" ? "arm64" : "amd64";
const OTHER = OURS === "arm64" ? "amd64" : "arm64";
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
  const { exitCode, stdout, stderr } = Bun.spawnSync(command(...args), { stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`buildah ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString().trim();
}

interface Loaded {
  architecture: string;
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    Volumes: Record<string, object>;
    StopSignal: string;
  };
}

/** Builds an image and loads it into a container. @returns the container, its root, and what the image says */
function loaded(architecture: "amd64" | "arm64", executable: string) {
  const packages = fetchDebianPackages(IMAGE_PACKAGES, architecture, join(folder.path, architecture));
  const output = join(folder.path, `${architecture}.tar`);
  buildImage({ executable, architecture, packages, output, date: 1_767_614_400, level: 0 });
  const container = buildah("from", "--arch", architecture, `oci-archive:${output}`);
  const { OCIv1 } = JSON.parse(buildah("inspect", container)) as { OCIv1: Loaded };
  return { container, root: buildah("mount", container), image: OCIv1 };
}

let container: string;
let root: string;
let image: Loaded;

beforeAll(() => {
  mkdirSync(folder.path, { recursive: true });
  ({ container, root, image } = loaded(OURS, EXECUTABLE));
});
afterAll(() => {
  buildah("rm", "--all");
  buildah("rmi", "--all", "--force");
  folder.remove();
});

/** Waits until the server answers, asks for its health as the image does, and ends it. */
async function expectService(serving: string[], checking: string[]): Promise<void> {
  const server = Bun.spawn(["setsid", ...serving], { stdout: "pipe", stderr: "pipe" });
  endGroupWithTests(server);
  let output = "";
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true });
  };
  const collected = Promise.all([collect(server.stdout), collect(server.stderr)]);
  const answer = await eventually("it listens or ends", async () =>
    server.exitCode === null ? fetch(`http://127.0.0.1:${port}/healthz`) : output,
  );
  if (typeof answer === "string") throw new Error(answer);
  expect(await answer.json()).toEqual({ status: "ok", version: VERSION });
  // Exit codes alone: buildah may lose what a command writes right before it ends.
  expect(Bun.spawnSync(checking).exitCode).toBe(0);
  await eventually("it says where its data is", () => output.includes("data=/data"));
  server.kill("SIGTERM");
  await Promise.all([server.exited, collected]);
  await eventually("it is gone", () => Bun.spawnSync(checking).exitCode === 1);
}

test("the image runs the executable as a user without rights, and any user may write to its volume", async () => {
  expect(image).toMatchObject({
    architecture: OURS,
    config: {
      User: "65532:65532",
      Entrypoint: ["/usr/bin/muster"],
      Cmd: ["serve"],
      Volumes: { "/data": {} },
      StopSignal: "SIGTERM",
    },
  });
  expect(image.config.Env).toContain("MUSTER_DATA=/data");
  const { stdout } = Bun.spawnSync(["stat", "-c", "%a", join(root, "data"), join(root, "usr/bin/muster")]);
  expect(stdout.toString()).toBe("1777\n755\n");
});

test("a container with nothing else in it starts, is healthy, and ends", async () => {
  const listen = `MUSTER_LISTEN=127.0.0.1:${port}`;
  const inside = (...args: string[]) =>
    command("run", "--isolation", "chroot", "--env", listen, container, "--", "/usr/bin/muster", ...args);
  expect(Bun.spawnSync(inside("version")).exitCode).toBe(0);
  await expectService(inside(...image.config.Cmd), inside("healthcheck"));
});

test("it runs as any user on a root that cannot be written", async () => {
  // Two commands see the same data.
  const data = join(folder.path, "volume");
  mkdirSync(data);
  Bun.spawnSync(["chown", "12345:12345", data]);
  const script = `
    mount --bind ${root} ${root} && mount --bind ${data} ${root}/data
    mkdir -p ${root}/proc ${root}/dev 2>/dev/null
    mount --rbind /proc ${root}/proc && mount --rbind /dev ${root}/dev && mount -o remount,bind,ro ${root}
    touch ${root}/x 2>/dev/null && exit 3
    exec env -i ${image.config.Env.join(" ")} MUSTER_LISTEN=127.0.0.1:${port} \\
      /usr/sbin/chroot --userspec=12345:12345 ${root} /usr/bin/muster "$@"`;
  const inside = (...args: string[]) => ["unshare", "--mount", "sh", "-c", script, "sh", ...args];
  await expectService(inside("serve"), inside("healthcheck"));
});

test("the image of the other architecture has its libraries", () => {
  const executable = join(folder.path, "executable");
  writeFileSync(executable, "");
  const other = loaded(OTHER, executable);
  expect(other.image.architecture).toBe(OTHER);
  const name = OTHER === "arm64" ? "lib/aarch64-linux-gnu/libc.so.6" : "lib/x86_64-linux-gnu/libc.so.6";
  // The machine in the header of an ELF file.
  expect(readFileSync(join(other.root, name)).readUInt16LE(18)).toBe(OTHER === "arm64" ? 183 : 62);
});
