/** The folder of a release on a web server of this machine, signed with keys that exist only for one test. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildDeb } from "../../packaging/deb.ts";
import { writeAptRepository } from "../../scripts/apt-repository.ts";
import { checksumsOf } from "../../scripts/checksums.ts";
import { installScript } from "../../scripts/install-script.ts";
import { runIn, throwAwayKey } from "./signed-release.ts";

const ROOT = join(import.meta.dir, "../..");
/** Time of the release, Unix seconds. */
const DATE = 1_700_000_000;

export const DEBIAN_ARCHITECTURE = process.arch === "arm64" ? "arm64" : "amd64";
export const EXECUTABLE_NAME = `muster-${manifest.version}-linux-${process.arch}`;
export const DEB_NAME = `muster_${manifest.version}_${DEBIAN_ARCHITECTURE}.deb`;

/** Writes a program that prints its version where a release has an executable. */
export function writeExecutable(folder: string, version: string): void {
  writeFileSync(join(folder, EXECUTABLE_NAME), `#!/bin/sh\necho ${version}\n`);
}

export interface SigningKeys {
  /** Path of the private half of an SSH key. */
  ssh: string;
  signers: string;
  /** Folder and fingerprint of an OpenPGP key, if apt is to accept the release. */
  gpg?: { home: string; fingerprint: string };
}

export function newSshKey(folder: string): SigningKeys {
  const ssh = throwAwayKey(folder);
  const signers = join(folder, "allowed_signers");
  writeFileSync(signers, `muster namespaces="muster-release" ${readFileSync(`${ssh}.pub`, "utf8")}`);
  return { ssh, signers };
}

function mustRun(command: string[], home: string): string {
  const { code, output } = runIn(home, ["env", `GNUPGHOME=${home}`, ...command]);
  if (code !== 0) throw new Error(output);
  return output;
}

/** An OpenPGP key without a passphrase. `gpgconf` of its folder ends the agent that gpg starts: see `endAgent`. */
export function newGpgKey(folder: string): { home: string; fingerprint: string } {
  const home = join(folder, "gpg");
  mkdirSync(home, { mode: 0o700 });
  const options = ["--batch", "--passphrase", "", "--quick-generate-key", "Muster <muster@localhost>"];
  mustRun(["gpg", ...options, "ed25519", "sign", "never"], home);
  const keys = mustRun(["gpg", "--batch", "--with-colons", "--list-keys"], home);
  const fingerprint = /^fpr:+(\w+):$/m.exec(keys)?.[1];
  if (fingerprint === undefined) throw new Error(keys);
  return { home, fingerprint };
}

export const endAgent = (home: string) => mustRun(["gpgconf", "--kill", "all"], home);

/** Writes what `make release` writes beside the executables, and signs it with `make sign`. */
export function finishRelease(folder: string, { ssh, signers, gpg }: SigningKeys): void {
  writeAptRepository(folder, DATE);
  writeFileSync(join(folder, "install.sh"), installScript(readFileSync(signers, "utf8")));
  writeFileSync(join(folder, "SHA256SUMS"), "");
  const sums = checksumsOf(folder).split("\n");
  const signed = sums.filter((line) => !/ {2}(SHA256SUMS|.*(\.sig|\.gpg|\.asc|InRelease)$)/.test(line));
  writeFileSync(join(folder, "SHA256SUMS"), signed.join("\n"));
  const settings = [`KEY=${ssh}`, `RELEASE=${folder}`, `SIGNERS=${signers}`];
  if (gpg) settings.push(`GPG_KEY=${gpg.fingerprint}`);
  const environment = gpg ? [`GNUPGHOME=${gpg.home}`] : [];
  const { code, output } = runIn(ROOT, ["env", ...environment, "make", "sign", ...settings]);
  if (code !== 0) throw new Error(output);
}

/** A Debian package of the executable in the folder. */
export function writeDeb(folder: string): void {
  const [executable, output] = [join(folder, EXECUTABLE_NAME), join(folder, DEB_NAME)];
  buildDeb({ executable, architecture: DEBIAN_ARCHITECTURE, output, date: DATE });
}

/** Serves a folder on loopback. @returns its address, without a slash at its end */
export function serveFolder(folder: string) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const file = Bun.file(join(folder, new URL(request.url).pathname));
      return (await file.exists()) ? new Response(file) : new Response("not found", { status: 404 });
    },
  });
  return { address: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
