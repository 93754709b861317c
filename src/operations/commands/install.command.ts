import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, SETTING_NAMES, SETTINGS } from "../../platform/config/config.definitions.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { reasonOf } from "../../platform/text.ts";
import type { Command, CommandLine } from "./command.ts";
import { isStateFolder, unitText } from "./unit.ts";

const UNIT = "muster.service";
const DEFAULT_DATA = "/var/lib/muster";
const DEFAULT_UNIT_DIR = "/etc/systemd/system";

/** Lowest port that an unprivileged user may listen on. */
const FIRST_FREE_PORT = 1024;

/** The settings in effect as flags of the service, without the data folder. */
function serviceFlags(args: CommandLine): string[] {
  const paths = new Set<string>([SETTINGS.tlsCert.flag, SETTINGS.tlsKey.flag].map(String));
  return args
    .effective()
    .filter(({ name, source }) => name.startsWith("--") && name !== "--data" && source !== "default")
    .flatMap(({ name, text }) => [name, paths.has(name) ? resolve(text) : text]);
}

function hasLowPort({ listen }: Config): boolean {
  return listen.some((address) => "port" in address && address.port < FIRST_FREE_PORT);
}

export const installCommand: Command = {
  name: "install",
  summary: "write a systemd unit that runs Muster with the settings given here",
  settings: SETTING_NAMES,
  options: [
    { flag: "--unit-dir", value: "DIR", doc: `where the unit goes (default ${DEFAULT_UNIT_DIR})` },
    { flag: "--user", value: "NAME", doc: "run as this account instead of one that systemd creates" },
  ],
  run: (args, io) => {
    const config = args.config();
    const isDefault = args.effective().some(({ name, source }) => name === "--data" && source === "default");
    const data = isDefault ? DEFAULT_DATA : resolve(config.data);
    const user = args.value("--user") ?? null;
    if (user === null && !isStateFolder(data))
      throw new StartupError(
        `with --data outside /var/lib, --user has to name the account that owns ${data}`,
      );
    const path = join(args.value("--unit-dir") ?? DEFAULT_UNIT_DIR, UNIT);
    const unit = unitText({
      executable: process.execPath,
      args: serviceFlags(args),
      data,
      user,
      lowPort: hasLowPort(config),
      environmentFile: null,
    });
    try {
      writeFileSync(path, unit);
      chmodSync(path, 0o644);
    } catch (error) {
      throw new StartupError(`the unit cannot be written: ${reasonOf(error)}`);
    }
    io.print(`wrote ${path}: it runs ${process.execPath} on ${data}${user === null ? "" : ` as ${user}`}`);
    io.print("Run next:");
    if (user !== null && !isStateFolder(data)) io.print(`  install -d -m 700 -o ${user} ${data}`);
    io.print("  systemctl daemon-reload");
    io.print("  systemctl enable --now muster");
    io.print(`The first login is then described in ${join(data, "first-login.txt")}`);
    return 0;
  },
};
