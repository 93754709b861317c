/** The software bill of materials of the executables, as CycloneDX 1.5. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dir, "..");

/** Entry of bun.lock: name@version, registry, metadata, integrity. */
type Locked = [string, string, { dependencies?: Record<string, string> }, string];

interface Component {
  type: "library" | "framework";
  name: string;
  version: string;
  purl: string;
  licenses: { license: { id: string } }[];
  hashes: { alg: "SHA-512"; content: string }[];
}

/** The packages that the bun.lock in a folder names, by name. */
export function readLock(root: string): Record<string, Locked> {
  const text = readFileSync(join(root, "bun.lock"), "utf8");
  // bun.lock is JSON with trailing commas.
  return JSON.parse(text.replaceAll(/,(\s*[}\]])/g, "$1")).packages;
}

function licenseOf(name: string): string {
  const file = join(ROOT, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")).license ?? "") : "";
}

function componentOf(name: string, [spec, , , integrity]: Locked): Component {
  const version = spec.slice(spec.lastIndexOf("@") + 1);
  const license = licenseOf(name);
  return {
    type: name === "bun" ? "framework" : "library",
    name,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: license ? [{ license: { id: license } }] : [],
    hashes: [
      { alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") },
    ],
  };
}

/** What the program imports, directly or indirectly, in the order of the names. @param roots where to begin */
export function componentsOf(roots: readonly string[]): Component[] {
  const lock = readLock(ROOT);
  const queue = [...roots];
  const components = new Map<string, Component>();
  while (queue.length > 0) {
    const name = queue.pop() ?? "";
    const locked = lock[name];
    if (components.has(name) || !locked) continue;
    components.set(name, componentOf(name, locked));
    if (name !== "bun") queue.push(...Object.keys(locked[2].dependencies ?? {}));
  }
  return [...components.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The packages that package.json names for the program itself. */
export const DEPENDENCIES: readonly string[] = Object.keys(manifest.dependencies);

/** Everything in the executables: the program's packages and the runtime. */
export function softwareBillOfMaterials(): object {
  const { name, version, license } = manifest;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name, version, licenses: [{ license: { id: license } }] },
    },
    components: componentsOf([...DEPENDENCIES, "bun"]),
  };
}
