/** A small release, and a maintainer's key that exists only for one test. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checksumsOf } from "../../scripts/checksums.ts";

const ROOT = join(import.meta.dir, "../..");

/** Runs a program to its end. */
export function runIn(cwd: string, command: readonly string[], stdin?: string) {
  const input = stdin === undefined ? "ignore" : Buffer.from(stdin);
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, stdin: input });
  return { code: exitCode, output: `${stdout}${stderr}` };
}

/** An SSH key without a passphrase. @returns the path of its private half */
export function throwAwayKey(folder: string, name = "key"): string {
  const key = join(folder, name);
  const { code, output } = runIn(folder, [
    "ssh-keygen",
    "-q",
    "-t",
    "ed25519",
    "-N",
    "",
    "-C",
    "",
    "-f",
    key,
  ]);
  if (code !== 0) throw new Error(output);
  return key;
}

/** Files with their checksums in `folder`/release, and `folder`/allowed_signers with the public half of the key. */
export function smallRelease(folder: string, key: string) {
  const release = join(folder, "release");
  mkdirSync(release);
  for (const name of ["muster-linux-x64", "muster.cdx.json"]) writeFileSync(join(release, name), `${name}\n`);
  writeFileSync(join(release, "SHA256SUMS"), checksumsOf(release));
  const signers = join(folder, "allowed_signers");
  writeFileSync(signers, `muster namespaces="muster-release" ${readFileSync(`${key}.pub`, "utf8")}`);
  return { release, signers };
}

/** `make sign` on it. */
export function sign(release: string, signers: string, key: string) {
  return runIn(ROOT, ["make", "sign", `KEY=${key}`, `RELEASE=${release}`, `SIGNERS=${signers}`]);
}
