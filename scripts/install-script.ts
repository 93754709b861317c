import { readFileSync } from "node:fs";
import { join } from "node:path";

const SCRIPT = join(import.meta.dir, "../packaging/install.sh");

/**
 * The script that installs from the folder of a release.
 * @param signers public keys that it accepts, in the format of packaging/allowed_signers
 * @throws Error for a key that would end the string of the script
 */
export function installScript(signers: string): string {
  const keys = signers.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  if (keys.some((key) => key.includes("'"))) throw new Error("a public key contains an apostrophe");
  return readFileSync(SCRIPT, "utf8").replace("@SIGNERS@", () => keys.join("\n"));
}
