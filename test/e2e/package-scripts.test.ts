/** What the scripts of the Debian package ask systemd to do. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./support.ts";

/** Writes down how it was called. The file `state` has what it says of the unit. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >>"$FOLDER/calls"
if [ "$1" = is-enabled ]; then cat "$FOLDER/state"; exit 1; fi
`;

let folder: ReturnType<typeof temporaryFolder>;
let units: string;
beforeEach(() => {
  folder = temporaryFolder();
  units = join(folder.path, "etc");
  mkdirSync(join(units, "multi-user.target.wants"), { recursive: true });
  mkdirSync(join(folder.path, "booted"));
  mkdirSync(join(folder.path, "bin"));
  writeFileSync(join(folder.path, "bin/systemctl"), SYSTEMCTL);
  chmodSync(join(folder.path, "bin/systemctl"), 0o755);
});
afterEach(() => folder.remove());

/** Runs a script as dpkg does. @param state of the unit, as systemctl says it */
function runScript(name: "postinst" | "prerm" | "postrm", args: string[], state = "disabled") {
  writeFileSync(join(folder.path, "state"), `${state}\n`);
  writeFileSync(join(folder.path, "calls"), "");
  const text = readFileSync(join(import.meta.dir, "../../packaging", name), "utf8")
    .replaceAll("/etc/systemd/system", units)
    .replaceAll("/run/systemd/system", join(folder.path, "booted"));
  const env = { PATH: `${join(folder.path, "bin")}:/usr/bin:/bin`, FOLDER: folder.path };
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", text, name, ...args], { env, stdin: "ignore" });
  const lines = readFileSync(join(folder.path, "calls"), "utf8").trim().split("\n");
  const calls = lines.filter((line) => line !== "" && !line.startsWith("is-enabled"));
  return { exitCode, said: stderr.toString(), calls };
}

const ENABLE = "enable --quiet muster.service";

test("the first installation enables and starts the service", () => {
  expect(runScript("postinst", ["configure", ""])).toEqual({
    exitCode: 0,
    said: "",
    calls: [ENABLE, "daemon-reload", "restart muster.service"],
  });
});

test.each(["enabled", "disabled"])(
  "an upgrade restarts a %s service only if it runs, and does not enable it",
  (state) => {
    expect(runScript("postinst", ["configure", "1.0.0"], state)).toEqual({
      exitCode: 0,
      said: "",
      calls: ["daemon-reload", "try-restart muster.service"],
    });
  },
);

test.each(["", "1.0.0"])("a masked service stays as it is, after version %p", (previous) => {
  expect(runScript("postinst", ["configure", previous], "masked")).toEqual({
    exitCode: 0,
    said: "",
    calls: [],
  });
});

test("a unit that hides that of the package is named, and its service is not enabled or started", () => {
  const unit = join(units, "muster.service");
  writeFileSync(unit, "");
  const warning = `muster: ${unit} hides the unit of this package, so that it has no effect: remove that file, unless it is what you want\n`;
  for (const previous of ["", "1.0.0"])
    expect(runScript("postinst", ["configure", previous], "enabled")).toEqual({
      exitCode: 0,
      said: warning,
      calls: ["daemon-reload", "try-restart muster.service"],
    });
});

test("removal stops the service and keeps whether it is enabled, until it is purged", () => {
  const link = join(units, "multi-user.target.wants/muster.service");
  symlinkSync("/proc/self/exe", link);
  expect(runScript("prerm", ["remove"]).calls).toEqual(["stop muster.service"]);
  expect(runScript("postrm", ["remove"]).calls).toEqual(["daemon-reload"]);
  expect(existsSync(link)).toBe(true);
  expect(runScript("postrm", ["purge"])).toMatchObject({ exitCode: 0, calls: ["daemon-reload"] });
  expect(existsSync(link)).toBe(false);
});
