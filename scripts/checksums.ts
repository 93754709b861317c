import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** The SHA-256 of each file in the folder and below it, as `sha256sum --check` reads them, in the order of the paths. */
export function checksumsOf(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
    .map((path) => {
      const digest = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, path))).digest("hex");
      return `${digest}  ${path}\n`;
    });
  return lines.join("");
}
