/** Fetches packages of Debian for any architecture, with apt, which verifies them. Needs no root. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";

/** Keys of the archive, from Debian's package debian-archive-keyring. */
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const SOURCES = `deb [signed-by=${KEYRING}] http://deb.debian.org/debian bookworm main
deb [signed-by=${KEYRING}] http://deb.debian.org/debian-security bookworm-security main
`;

/**
 * Fetches packages, without those that they depend on.
 * @param folder an empty one, for the lists of apt and the packages
 * @returns their paths
 */
export function fetchDebianPackages(
  names: readonly string[],
  architecture: "amd64" | "arm64",
  folder: string,
): string[] {
  const packages = join(folder, "packages");
  for (const path of ["state/lists/partial", "cache/archives/partial", "packages"])
    mkdirSync(join(folder, path), { recursive: true });
  const [status, sources] = [join(folder, "status"), join(folder, "sources.list")];
  writeFileSync(status, "");
  writeFileSync(sources, SOURCES);
  const settings = {
    "Dir::State": join(folder, "state"),
    "Dir::State::status": status,
    "Dir::Cache": join(folder, "cache"),
    "Dir::Etc::SourceList": sources,
    "Dir::Etc::SourceParts": "/dev/null",
    "APT::Architecture": architecture,
    "APT::Architectures": architecture,
    "APT::Sandbox::User": "",
    "Acquire::Languages": "none",
    "Acquire::Retries": "3",
  };
  const apt = ["apt-get", ...Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`])];
  run([...apt, "update", "--error-on=any"], packages);
  run([...apt, "download", ...names], packages);
  return readdirSync(packages)
    .sort()
    .map((name) => join(packages, name));
}
