/** Makes a folder with Debian packages an apt repository: the suite `stable` with the component `main`. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SUITE = "dists/stable";
const ARCHITECTURES = ["amd64", "arm64"] as const;

const sha256 = (content: Uint8Array) => new Bun.CryptoHasher("sha256").update(content).digest("hex");

/** What apt needs to know of a package: its control file, where it is, its size in bytes, and its checksum. */
function entryOf(folder: string, name: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["dpkg-deb", "--field", join(folder, name)]);
  if (exitCode !== 0) throw new Error(`dpkg-deb: ${stderr.toString().trim()}`);
  const content = readFileSync(join(folder, name));
  const location = `Filename: ${name}\nSize: ${content.length}\nSHA256: ${sha256(content)}`;
  return `${stdout.toString().trimEnd()}\n${location}\n`;
}

/** The lists of packages by their path within the suite. */
function listsOf(folder: string): Map<string, Uint8Array> {
  const names = readdirSync(folder).sort();
  const lists = new Map<string, Uint8Array>();
  for (const architecture of ARCHITECTURES) {
    const packages = names.filter((name) => name.endsWith(`_${architecture}.deb`));
    const list = Buffer.from(packages.map((name) => entryOf(folder, name)).join("\n"));
    lists.set(`main/binary-${architecture}/Packages`, list);
    lists.set(`main/binary-${architecture}/Packages.gz`, Bun.gzipSync(list));
  }
  return lists;
}

/** The file that names the lists, with their checksums. @param date Unix seconds */
function releaseOf(lists: Map<string, Uint8Array>, date: number): string {
  const checksums = [...lists].map(([path, content]) => ` ${sha256(content)} ${content.length} ${path}\n`);
  return `Origin: Muster
Label: Muster
Suite: stable
Codename: stable
Date: ${new Date(date * 1000).toUTCString()}
Architectures: ${ARCHITECTURES.join(" ")}
Components: main
Description: Muster, a monitoring server for Monit agents
SHA256:
${checksums.join("")}`;
}

/**
 * Writes `dists` into a folder, for the packages that lie in it. The packages stay where they are. `make sign` signs it.
 * @param date time of the repository, Unix seconds: that of the commit, so that whoever builds it gets the same bytes
 * @throws Error with the output of dpkg-deb, or if it is not installed
 */
export function writeAptRepository(folder: string, date: number): void {
  const lists = listsOf(folder);
  for (const [path, content] of lists) {
    const target = join(folder, SUITE, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  writeFileSync(join(folder, SUITE, "Release"), releaseOf(lists, date));
}
