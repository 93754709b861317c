/** The folder of a release on a web server: the script that installs from it, and apt, which reads it as a repository. */
import { describe, expect } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/platform/version.ts";
import { needing } from "../support/programs.ts";
import {
  DEB_NAME,
  DEBIAN_ARCHITECTURE,
  EXECUTABLE_NAME,
  endAgent,
  finishRelease,
  newGpgKey,
  newSshKey,
  type SigningKeys,
  serveFolder,
  writeDeb,
  writeExecutable,
} from "../support/release-server.ts";
import { run, temporaryFolder } from "./support.ts";

interface Site {
  /** The folder that is served. */
  release: string;
  keys: SigningKeys;
  address: string;
}

/** A signed release with one executable that only prints its version, on a web server. */
function site(path: string): Site & { stop: () => void } {
  const release = join(path, "release");
  mkdirSync(release);
  writeExecutable(release, "1.2.3");
  const keys = newSshKey(path);
  finishRelease(release, keys);
  return { release, keys, ...serveFolder(release) };
}

/** Runs a program without the settings of the user who runs the tests. The server of this process can answer it. */
async function command(words: string[], env: Record<string, string>) {
  const child = Bun.spawn(words, {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: `${stdout}${stderr}` };
}

describe("install.sh", () => {
  const { afterEach, beforeEach, test } = needing("curl", "dpkg-deb", "ssh-keygen");
  let folder: ReturnType<typeof temporaryFolder>;
  let served: ReturnType<typeof site>;
  let prefix: string;
  let script: string;
  beforeEach(() => {
    folder = temporaryFolder();
    served = site(folder.path);
    prefix = join(folder.path, "prefix");
    // Kept apart from the folder: what somebody changes there does not change the keys in it.
    script = join(folder.path, "install.sh");
    writeFileSync(script, readFileSync(join(served.release, "install.sh")));
    mkdirSync(join(folder.path, "tmp"));
  });
  afterEach(() => {
    served.stop();
    folder.remove();
  });

  const install = (address = served.address) =>
    command(["sh", script, "--prefix", prefix, address], {
      HOME: folder.path,
      TMPDIR: join(folder.path, "tmp"),
    });
  const installed = () => readFileSync(join(prefix, "bin/muster"), "utf8");

  /** It ends with a code and a reason, and leaves neither an executable nor temporary files. */
  async function expectRefused(code: number, reason: string, address?: string): Promise<void> {
    expect(await install(address)).toMatchObject({ code, output: expect.stringContaining(reason) });
    expect(readdirSync(join(folder.path, "tmp"))).toEqual([]);
    expect(existsSync(join(prefix, "bin/muster"))).toBe(false);
  }

  test("installs the executable of a signed release, and replaces it by that of the next one", async () => {
    expect(await install()).toMatchObject({
      code: 0,
      output: `Installed Muster 1.2.3 as ${prefix}/bin/muster. Next: sudo ${prefix}/bin/muster install\n`,
    });
    writeExecutable(served.release, "1.2.4");
    finishRelease(served.release, served.keys);
    for (let i = 0; i < 2; i++)
      expect(await install(`${served.address}/`)).toMatchObject({
        code: 0,
        output:
          `Installed Muster 1.2.4 as ${prefix}/bin/muster. ` +
          "A service keeps the previous one until: sudo systemctl restart muster\n",
      });
    expect(installed()).toContain("1.2.4");
    expect(readdirSync(join(prefix, "bin"))).toEqual(["muster"]);
    expect(readdirSync(join(folder.path, "tmp"))).toEqual([]);
  });

  test("refuses an executable that was changed, and keeps the one that is installed", async () => {
    appendFileSync(join(served.release, EXECUTABLE_NAME), "# more\n");
    await expectRefused(4, `the SHA-256 of ${EXECUTABLE_NAME} is wrong`);
    finishRelease(served.release, served.keys);
    expect(await install()).toMatchObject({ code: 0 });
    const before = installed();
    writeExecutable(served.release, "6.6.6");
    expect(await install()).toMatchObject({ code: 4 });
    expect(installed()).toBe(before);
  });

  test("refuses checksums that match a changed executable but were not signed", async () => {
    const path = join(served.release, "SHA256SUMS");
    writeExecutable(served.release, "6.6.6");
    const digest = new Bun.CryptoHasher("sha256")
      .update(readFileSync(join(served.release, EXECUTABLE_NAME)))
      .digest("hex");
    const lines = readFileSync(path, "utf8").split("\n");
    writeFileSync(
      path,
      lines
        .map((line) => (line.endsWith(EXECUTABLE_NAME) ? `${digest}  ${EXECUTABLE_NAME}` : line))
        .join("\n"),
    );
    await expectRefused(4, "the signature of SHA256SUMS is wrong");
  });

  test("refuses a damaged signature, one by another key, and none", async () => {
    const signature = join(served.release, "SHA256SUMS.sig");
    writeFileSync(signature, readFileSync(signature, "utf8").replace(/U1NIU0lH../, "U1NIU0lHxx"));
    await expectRefused(4, "the signature of SHA256SUMS is wrong");
    mkdirSync(join(folder.path, "stranger"));
    finishRelease(served.release, newSshKey(join(folder.path, "stranger")));
    await expectRefused(4, "the signature of SHA256SUMS is wrong");
    rmSync(signature);
    await expectRefused(3, "SHA256SUMS.sig could not be downloaded");
  });

  test("refuses an executable that does not run", async () => {
    writeFileSync(join(served.release, EXECUTABLE_NAME), "#!/bin/sh\nexit 1\n");
    finishRelease(served.release, served.keys);
    await expectRefused(2, "does not run on this machine");
    expect(readdirSync(join(prefix, "bin"))).toEqual([]);
  });

  test("refuses plain HTTP to other machines, whatever the address resembles", async () => {
    for (const host of ["muster.invalid", "127.0.0.1.muster.invalid", "localhost@muster.invalid"])
      await expectRefused(1, "is not an https address", `http://${host}/muster`);
    await expectRefused(1, "is not an https address", "ftp://muster.invalid");
  });

  test("says that a release without keys is not signed, and verifies its checksums", async () => {
    const keyless = readFileSync(script, "utf8").replace(/^SIGNERS='[^']*'/m, "SIGNERS=''");
    writeFileSync(script, keyless);
    expect(await install()).toMatchObject({ code: 0, output: expect.stringContaining("is not signed") });
    rmSync(prefix, { recursive: true });
    appendFileSync(join(served.release, EXECUTABLE_NAME), "# more\n");
    await expectRefused(4, "the SHA-256");
  });
});

describe("install.sh where musl is installed beside glibc", () => {
  const { test } = needing("curl", "dpkg-deb", "ssh-keygen", "unshare");

  test("installs the executable for glibc", async () => {
    const folder = temporaryFolder();
    const served = site(folder.path);
    const layered = `
set -e
mount -t tmpfs layers "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/usr/lib,upperdir=$1/upper,workdir=$1/work" /usr/lib
touch /usr/lib/ld-musl-x86_64.so.1
sh "$2" --prefix "$3" "$4"`;
    const layers = join(folder.path, "layers");
    const prefix = join(folder.path, "prefix");
    mkdirSync(layers);
    const words = ["sh", "-c", layered, "sh", layers, join(served.release, "install.sh"), prefix];
    try {
      expect(
        await command(["unshare", "--mount", ...words, served.address], { HOME: folder.path }),
      ).toMatchObject({ code: 0, output: expect.stringContaining("Installed Muster 1.2.3") });
    } finally {
      served.stop();
      folder.remove();
    }
  });
});

describe("apt", () => {
  const { afterAll, beforeAll, test } = needing("apt-get", "dpkg-deb", "gpg", "ssh-keygen");
  const folder = temporaryFolder();
  const release = join(folder.path, "release");
  const root = join(folder.path, "root");
  let keys: SigningKeys;
  let server: ReturnType<typeof serveFolder>;

  beforeAll(() => {
    mkdirSync(release);
    keys = { ...newSshKey(folder.path), gpg: newGpgKey(folder.path) };
    writeExecutable(release, VERSION);
    writeDeb(release);
    finishRelease(release, keys);
    server = serveFolder(release);
    for (const path of [
      "etc/apt",
      "var/lib/apt/lists/partial",
      "var/cache/apt/archives/partial",
      "var/lib/dpkg",
    ])
      mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, "var/lib/dpkg/status"), "");
    writeFileSync(join(root, "etc/apt/muster.asc"), readFileSync(join(release, "muster.asc")));
    mkdirSync(join(root, "etc/apt/sources.list.d"));
    writeFileSync(
      join(root, "etc/apt/sources.list.d/muster.sources"),
      `Types: deb\nURIs: ${server.address}\nSuites: stable\nComponents: main\nSigned-By: ${root}/etc/apt/muster.asc\n`,
    );
    writeFileSync(join(root, "apt.conf"), "");
  });
  afterAll(() => {
    server?.stop();
    if (keys?.gpg) endAgent(keys.gpg.home);
    folder.remove();
  });

  /** apt with this repository only. It runs in the folder, into which it downloads. */
  const apt = (...words: string[]) =>
    command(
      [
        ...["env", "-C", folder.path, "apt-get", "-o", `Dir=${root}`],
        ...["-o", `Dir::State::status=${root}/var/lib/dpkg/status`, "-o", "APT::Sandbox::User=root"],
        ...["-o", `APT::Architecture=${DEBIAN_ARCHITECTURE}`, "-o", "Acquire::http::Proxy=DIRECT"],
        ...["-o", "Acquire::Retries=0", "-o", "APT::Update::Error-Mode=any", ...words],
      ],
      { HOME: folder.path, APT_CONFIG: join(root, "apt.conf") },
    );
  const downloaded = join(folder.path, DEB_NAME);

  test("downloads the package of a repository that it has verified, and the package runs", async () => {
    expect(await apt("update")).toMatchObject({ code: 0, output: expect.not.stringContaining("W:") });
    expect(await apt("download", "muster")).toMatchObject({ code: 0 });
    const unpacked = join(folder.path, "unpacked");
    expect(await command(["dpkg-deb", "-x", downloaded, unpacked], {})).toMatchObject({ code: 0 });
    const executable = join(unpacked, "usr/bin/muster");
    expect(await run(["version"], { cwd: folder.path, executable })).toMatchObject({
      stdout: `${VERSION}\n`,
    });
    rmSync(downloaded);
  });

  test("refuses a package that was changed", async () => {
    expect(await apt("update")).toMatchObject({ code: 0 });
    const deb = readFileSync(join(release, DEB_NAME));
    const changed = Buffer.from(deb);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    writeFileSync(join(release, DEB_NAME), changed);
    try {
      expect(await apt("download", "muster")).toMatchObject({
        code: 100,
        output: expect.stringContaining("Hash Sum mismatch"),
      });
      expect(existsSync(downloaded)).toBe(false);
    } finally {
      writeFileSync(join(release, DEB_NAME), deb);
    }
  });

  test("refuses a repository whose signed file was changed", async () => {
    const path = join(release, "dists/stable/InRelease");
    const signed = readFileSync(path, "utf8");
    writeFileSync(path, signed.replace("Label: Muster", "Label: Mustard"));
    rmSync(join(root, "var/lib/apt/lists"), { recursive: true });
    mkdirSync(join(root, "var/lib/apt/lists/partial"), { recursive: true });
    try {
      expect(await apt("update")).toMatchObject({
        code: 100,
        output: expect.stringMatching(/BADSIG|not signed/),
      });
    } finally {
      writeFileSync(path, signed);
    }
  });
});
