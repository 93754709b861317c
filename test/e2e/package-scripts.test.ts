/** What the scripts of the Debian package ask systemd to do. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./support.ts";

/** Writes down what it was asked to do. The file `state` has what it says of the unit, which has failed if `failed` exists. */
const SYSTEMCTL = `#!/bin/sh
case $1 in
  is-enabled) cat "$FOLDER/state"; exit 1 ;;
  is-failed) test -e "$FOLDER/failed"; exit ;;
esac
echo "$*" >>"$FOLDER/calls"
`;

let folder: ReturnType<typeof temporaryFolder>;
let units: string;
beforeEach(() => {
  folder = temporaryFolder();
  units = join(folder.path, "etc");
  mkdirSync(join(units, "multi-user.target.wants"), { recursive: true });
  mkdirSync(join(folder.path, "run/systemd/system"), { recursive: true });
  mkdirSync(join(folder.path, "bin"));
  writeFileSync(join(folder.path, "bin/systemctl"), SYSTEMCTL);
  chmodSync(join(folder.path, "bin/systemctl"), 0o755);
});
afterEach(() => folder.remove());

/** Runs a script as dpkg does. @param state of the unit, as systemctl says it */
function runScript(name: "preinst" | "postinst" | "prerm" | "postrm", args: string[], state = "disabled") {
  writeFileSync(join(folder.path, "state"), `${state}\n`);
  writeFileSync(join(folder.path, "calls"), "");
  const text = readFileSync(join(import.meta.dir, "../../packaging", name), "utf8")
    .replaceAll("/etc/systemd/system", units)
    .replaceAll("/run/", `${folder.path}/run/`);
  const env = { PATH: `${join(folder.path, "bin")}:/usr/bin:/bin`, FOLDER: folder.path };
  const { exitCode, stderr } = Bun.spawnSync(["sh", "-c", text, name, ...args], { env, stdin: "ignore" });
  const calls = readFileSync(join(folder.path, "calls"), "utf8").split("\n").slice(0, -1);
  return { exitCode, said: stderr.toString(), calls };
}

/** What dpkg runs when a version takes the place of 1.0.0. @returns what postinst did */
function upgrade(state: string) {
  runScript("preinst", ["upgrade", "1.0.0", "1.1.0"], state);
  return runScript("postinst", ["configure", "1.0.0"], state);
}

/** What dpkg runs when the package is installed after it was removed, not purged. @returns what postinst did */
function installAgain(state: string) {
  runScript("prerm", ["remove"], state);
  runScript("postrm", ["remove"], state);
  runScript("preinst", ["install", "1.0.0", "1.1.0"], state);
  return runScript("postinst", ["configure", "1.0.0"], state);
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
    expect(upgrade(state)).toEqual({
      exitCode: 0,
      said: "",
      calls: ["daemon-reload", "try-restart muster.service"],
    });
  },
);

test.each([
  ["enabled", "restart muster.service"],
  ["disabled", "try-restart muster.service"],
])("an upgrade starts a service that has failed if it is enabled: %s", (state, call) => {
  writeFileSync(join(folder.path, "failed"), "");
  expect(upgrade(state)).toEqual({ exitCode: 0, said: "", calls: ["daemon-reload", call] });
});

test("an installation after a removal, which stopped the service, starts it again if it is enabled", () => {
  expect(installAgain("enabled").calls).toEqual(["daemon-reload", "restart muster.service"]);
  // The next upgrade leaves one that was stopped by hand since.
  expect(upgrade("enabled").calls).toEqual(["daemon-reload", "try-restart muster.service"]);
});

test("an installation after a removal says that a disabled service is not started", () => {
  expect(installAgain("disabled")).toEqual({
    exitCode: 0,
    said: "muster: the service is disabled, so that it was not started; to start it: systemctl enable --now muster\n",
    calls: ["daemon-reload", "try-restart muster.service"],
  });
});

test("an installation after a removal leaves a masked service, and so does the upgrade after it is unmasked", () => {
  expect(installAgain("masked")).toEqual({ exitCode: 0, said: "", calls: [] });
  expect(upgrade("enabled").calls).toEqual(["daemon-reload", "try-restart muster.service"]);
});

test("a start that fails is tried again when dpkg configures the package again", () => {
  const failing = `${SYSTEMCTL}[ "$1" != restart ]\n`;
  writeFileSync(join(folder.path, "bin/systemctl"), failing);
  expect(installAgain("enabled").exitCode).toBe(1);
  writeFileSync(join(folder.path, "bin/systemctl"), SYSTEMCTL);
  expect(runScript("postinst", ["configure", "1.0.0"], "enabled").calls).toContain("restart muster.service");
  expect(readdirSync(join(folder.path, "run"))).toEqual(["systemd"]);
});

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

test("removal leaves the service of a unit that hides that of the package, and says so", () => {
  const unit = join(units, "muster.service");
  writeFileSync(unit, "[Service]\nExecStart=/usr/local/bin/muster serve\n");
  expect(runScript("prerm", ["remove"], "enabled")).toEqual({
    exitCode: 0,
    said: `muster: ${unit} does not belong to this package, so its service keeps running; to stop it: systemctl stop muster\n`,
    calls: [],
  });
  expect(installAgain("enabled").calls).toEqual(["daemon-reload", "try-restart muster.service"]);
});

test("removal stops a service that was masked while it ran", () => {
  symlinkSync("/dev/null", join(units, "muster.service"));
  expect(runScript("prerm", ["remove"], "masked").calls).toEqual(["stop muster.service"]);
});
