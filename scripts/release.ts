/**
 * Builds all release files into dist/release, which any web server can publish: an executable per platform, Debian
 * packages in an apt repository, a script that installs them, container images, checksums, and a software bill of
 * materials. Each executable contains the runtime of its platform, which comes from the npm registry and must match
 * bun.lock. Files that cannot be built are listed at the end, with exit code 1.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { buildDeb } from "../packaging/deb.ts";
import { fetchDebianPackages } from "../packaging/debian-packages.ts";
import { buildImage, IMAGE_PACKAGES } from "../packaging/image.ts";
import { writeAptRepository } from "./apt-repository.ts";
import { checksumsOf } from "./checksums.ts";
import { commitDate } from "./commit.ts";
import { installScript } from "./install-script.ts";
import { readLock, softwareBillOfMaterials } from "./sbom.ts";

const ROOT = join(import.meta.dir, "..");
const OUT = join(ROOT, "dist/release");
const RUNTIMES = join(ROOT, "dist/runtimes");
const BUN_VERSION = manifest.devDependencies.bun;

/** The project's name of each platform, which is also the build target, and the package of its runtime. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
  "darwin-x64": "@oven/bun-darwin-x64",
  "darwin-arm64": "@oven/bun-darwin-aarch64",
  "windows-x64": "@oven/bun-windows-x64",
};

const DEBIAN = { "linux-x64": "amd64", "linux-arm64": "arm64" } as const;

const problems: string[] = [];

function attempt(product: string, work: () => void): void {
  try {
    work();
    console.log(`made ${product}`);
  } catch (error) {
    problems.push(`${product}: ${error instanceof Error ? error.message : error}`);
  }
}

function run(command: string[], cwd = ROOT): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${stdout}${stderr}`.trim());
}

/** Fetches the runtimes of all platforms, and rejects any that does not match bun.lock. */
function fetchRuntimes(): void {
  rmSync(RUNTIMES, { recursive: true, force: true });
  mkdirSync(RUNTIMES, { recursive: true });
  const dependencies = Object.fromEntries(Object.values(TARGETS).map((name) => [name, BUN_VERSION]));
  writeFileSync(join(RUNTIMES, "package.json"), JSON.stringify({ private: true, dependencies }));
  run([process.execPath, "install", "--ignore-scripts", "--os=*", "--cpu=*"], RUNTIMES);
  const [ours, fetched] = [readLock(ROOT), readLock(RUNTIMES)];
  for (const name of Object.values(TARGETS))
    if (!fetched[name] || fetched[name][3] !== ours[name]?.[3])
      throw new Error(`${name} is not the one that bun.lock names`);
}

function fileOf(target: string): string {
  return join(OUT, `muster-${manifest.version}-${target}${target.startsWith("windows") ? ".exe" : ""}`);
}

function buildExecutable(target: string): void {
  const folder = join(RUNTIMES, "node_modules", TARGETS[target] ?? "", "bin");
  const runtime = ["bun", "bun.exe"].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (!runtime) throw new Error("there is no runtime for it");
  const scope = [`--target=bun-${target}`, `--compile-executable-path=${runtime}`];
  run([
    "make",
    "--no-print-directory",
    "executable",
    `EXECUTABLE=${fileOf(target)}`,
    `SCOPE=${scope.join(" ")}`,
  ]);
  // Source maps of the executable and of its workers; the executable contains its own.
  for (const name of [...new Bun.Glob("*.map").scanSync(OUT)]) rmSync(join(OUT, name));
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
attempt("runtimes", fetchRuntimes);
for (const target of Object.keys(TARGETS)) attempt(basename(fileOf(target)), () => buildExecutable(target));
for (const [target, architecture] of Object.entries(DEBIAN)) {
  const output = join(OUT, `muster_${manifest.version}_${architecture}.deb`);
  attempt(basename(output), () =>
    buildDeb({ executable: fileOf(target), architecture, output, date: commitDate() }),
  );
}
for (const [target, architecture] of Object.entries(DEBIAN)) {
  const output = join(OUT, `muster-${manifest.version}-image-${architecture}.tar`);
  attempt(basename(output), () => {
    const folder = join(ROOT, "dist/debian", architecture);
    rmSync(folder, { recursive: true, force: true });
    const packages = fetchDebianPackages(IMAGE_PACKAGES, architecture, folder);
    buildImage({ executable: fileOf(target), architecture, packages, output, date: commitDate() });
  });
}
attempt("dists", () => writeAptRepository(OUT, commitDate()));
attempt("install.sh", () => {
  const signers = readFileSync(join(ROOT, "packaging/allowed_signers"), "utf8");
  writeFileSync(join(OUT, "install.sh"), installScript(signers));
});
attempt("muster.cdx.json", () =>
  writeFileSync(join(OUT, "muster.cdx.json"), `${JSON.stringify(softwareBillOfMaterials(), null, 2)}\n`),
);
attempt("SHA256SUMS", () => writeFileSync(join(OUT, "SHA256SUMS"), checksumsOf(OUT)));
for (const problem of problems) console.error(`NOT made: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
