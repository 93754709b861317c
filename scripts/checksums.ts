import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The SHA-256 of each file in the folder, as `sha256sum --check` reads them, in the order of the names. */
export function checksumsOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => {
      const digest = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name))).digest("hex");
      return `${digest}  ${name}\n`;
    });
  return lines.join("");
}
