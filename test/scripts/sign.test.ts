/** What `make sign` signs, verified by the commands that docs/operations.md gives to administrators. */
import { expect } from "bun:test";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../e2e/support.ts";
import { needing } from "../support/programs.ts";
import { runIn, sign, smallRelease, throwAwayKey } from "../support/signed-release.ts";

const { afterEach, beforeEach, test } = needing("ssh-keygen");

const ROOT = join(import.meta.dir, "../..");
let folder: ReturnType<typeof temporaryFolder>;
let key: string;
let release: string;
let signers: string;

beforeEach(() => {
  folder = temporaryFolder();
  key = throwAwayKey(folder.path);
  ({ release, signers } = smallRelease(folder.path, key));
});
afterEach(() => folder.remove());

/** The exit codes of the two commands that verify a release. */
function verify() {
  const options = ["-f", signers, "-I", "muster", "-n", "muster-release", "-s", "SHA256SUMS.sig"];
  const checksums = readFileSync(join(release, "SHA256SUMS"), "utf8");
  return {
    signature: runIn(release, ["ssh-keygen", "-Y", "verify", ...options], checksums).code,
    files: runIn(release, ["sha256sum", "--check", "--strict", "--ignore-missing", "SHA256SUMS"]).code,
  };
}

test("a signed release is verified, also one that is signed again", () => {
  for (let i = 0; i < 2; i++) expect(sign(release, signers, key)).toMatchObject({ code: 0 });
  expect(verify()).toEqual({ signature: 0, files: 0 });
});

test("a file that was changed afterwards does not match its checksum", () => {
  sign(release, signers, key);
  appendFileSync(join(release, "muster-linux-x64"), "more");
  expect(verify()).toEqual({ signature: 0, files: 1 });
});

test("checksums that were changed afterwards do not match the signature", () => {
  sign(release, signers, key);
  writeFileSync(join(release, "muster-linux-x64"), "another\n");
  const { output } = runIn(release, ["sha256sum", "muster-linux-x64", "muster.cdx.json"]);
  writeFileSync(join(release, "SHA256SUMS"), output);
  expect(verify()).toEqual({ signature: 255, files: 0 });
});

test("the key of somebody else leaves no signature", () => {
  const { code, output } = sign(release, signers, throwAwayKey(folder.path, "other"));
  expect(code).not.toBe(0);
  expect(output).toContain(`is not in ${signers}`);
  expect(existsSync(join(release, "SHA256SUMS.sig"))).toBe(false);
});

test("a release that does not match its checksums is not signed", () => {
  appendFileSync(join(release, "muster.cdx.json"), "more");
  expect(sign(release, signers, key).code).not.toBe(0);
  expect(existsSync(join(release, "SHA256SUMS.sig"))).toBe(false);
});

test("the list of signers that comes with the source holds public keys only", () => {
  const lines = readFileSync(join(ROOT, "packaging/allowed_signers"), "utf8").trim().split("\n");
  for (const line of lines) expect(line).toMatch(/^(#|muster namespaces="muster-release" (ssh|sk-ssh)-\S+ )/);
});
