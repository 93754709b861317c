/** Builds the Debian package: the executable, its systemd unit, and a settings file. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { SETTINGS_FILE, unitText } from "../src/operations/commands/unit.ts";

const HERE = import.meta.dir;

export interface DebOptions {
  executable: string;
  /** Debian's name of the architecture. */
  architecture: "amd64" | "arm64";
  /** Path of the package to write. */
  output: string;
  /** Time of everything in it, Unix seconds: that of the commit, so that whoever builds it gets the same bytes. */
  date: number;
  /** Compression level, 0 to 9. */
  level?: number;
}

function control(architecture: string, bytes: number): string {
  return `Package: muster
Version: ${manifest.version}
Architecture: ${architecture}
Maintainer: Muster <muster@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.17)
Section: net
Priority: optional
Description: ${manifest.description}
 Collects what the Monit agents of many machines report, and shows it in a web
 UI and over an HTTP API.
`;
}

function place(root: string, path: string, mode: number, content: string | { from: string }): void {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true });
  if (typeof content === "string") writeFileSync(target, content);
  else copyFileSync(content.from, target);
  chmodSync(target, mode);
}

/** Gives every folder the same mode, whatever the umask. */
function openFolders(root: string): void {
  chmodSync(root, 0o755);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
}

/** @throws Error with the output of dpkg-deb, or if it is not installed */
export function buildDeb({ executable, architecture, output, date, level = 6 }: DebOptions): void {
  const root = mkdtempSync(join(tmpdir(), "muster-deb-"));
  try {
    place(root, "DEBIAN/control", 0o644, control(architecture, statSync(executable).size));
    place(root, "DEBIAN/conffiles", 0o644, `${SETTINGS_FILE}\n`);
    for (const script of ["preinst", "postinst", "prerm", "postrm"])
      place(root, `DEBIAN/${script}`, 0o755, { from: join(HERE, script) });
    place(root, "usr/bin/muster", 0o755, { from: executable });
    place(root, SETTINGS_FILE, 0o644, { from: join(HERE, "muster.default") });
    place(root, "usr/share/doc/muster/copyright", 0o644, { from: join(HERE, "../LICENSE") });
    const licenses = join(HERE, "../LICENSES");
    for (const name of readdirSync(licenses))
      place(root, `usr/share/doc/muster/${name}`, 0o644, { from: join(licenses, name) });
    const unit = unitText({
      executable: "/usr/bin/muster",
      args: [],
      data: "/var/lib/muster",
      user: null,
      lowPort: true,
    });
    place(root, "lib/systemd/system/muster.service", 0o644, unit);
    openFolders(root);
    const command = ["dpkg-deb", "--root-owner-group", "-Zgzip", `-z${level}`, "--build", root, output];
    const { exitCode, stderr } = Bun.spawnSync(command, {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(date) },
      stdout: "ignore",
    });
    if (exitCode !== 0) throw new Error(`dpkg-deb: ${stderr.toString().trim()}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
