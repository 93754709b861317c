import { lstatSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, SETTING_NAMES, SETTINGS } from "../../platform/config/config.definitions.ts";
import { ConfigError, path as pathSetting } from "../../platform/config/values.ts";
import { writePublicly } from "../../platform/files/durable-file.ts";
import { fileReason } from "../../platform/files/file-reason.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { Command, CommandLine, Io } from "./command.ts";
import { differencesOf, hiddenFolder, isStateFolder, SETTINGS_FILE, unitText } from "./unit.ts";

const UNIT = "muster.service";
const PROPER_EXECUTABLE = "/usr/local/bin/muster";
const DEFAULT_DATA = "/var/lib/muster";
const DEFAULT_UNIT_DIR = "/etc/systemd/system";

/** Lowest port that an unprivileged user may listen on. */
const FIRST_FREE_PORT = 1024;

/** Quotes a word for a shell. */
function shellWord(word: string): string {
  return /^[\w./:,@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const PATHS = new Set(
  Object.values(SETTINGS)
    .filter(({ read }) => read === pathSetting)
    .map(({ flag }) => flag),
);

/** The text of a setting with absolute paths: the service runs in another folder. */
function absolute(flag: string, text: string): string {
  if (PATHS.has(flag)) return resolve(text);
  if (flag !== SETTINGS.listen.flag) return text;
  const addresses = text.split(",").map((address) => address.trim());
  return addresses
    .map((address) => address.replace(/^unix:(.*)/s, (_, path) => `unix:${resolve(path)}`))
    .join();
}

/**
 * The settings in effect, without the data folder: as flags of the service, and as variables that name the files of
 * secrets.
 * @throws ConfigError for a secret that is in no file
 */
function serviceSettings(args: CommandLine): { flags: string[]; environment: string[] } {
  const flags: string[] = [];
  const environment: string[] = [];
  for (const { name, text, source } of args.effective()) {
    if (name === SETTINGS.data.flag || source === "default") continue;
    if (text !== null) flags.push(name, absolute(name, text));
    else if (source.endsWith("_FILE")) environment.push(`${source}=${resolve(args.variable(source) ?? "")}`);
    else
      throw new ConfigError(
        `${source} may contain a secret, and every user can read the unit: put it into ${SETTINGS_FILE}, or name a file that contains it with ${source}_FILE`,
      );
  }
  return { flags, environment };
}

function hasLowPort({ listen }: Config): boolean {
  return listen.some((address) => "port" in address && address.port < FIRST_FREE_PORT);
}

/** Warns if the unit hides the executable. That is no error, since a drop-in can show the folder to the service. */
function warnOfHidden(executable: string, io: Io): void {
  const folder = hiddenFolder(executable);
  if (folder === null) return;
  io.complain(
    `warning: the service cannot run ${executable}, since the unit hides ${folder} from it: ` +
      `copy it to ${PROPER_EXECUTABLE}, and install again with that one`,
  );
}

/**
 * The unit that is there, empty if it is a link that leads nowhere; null without one.
 * @throws StartupError when it cannot be read, or when it masks the service
 */
function presentUnit(path: string): string | null {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return null;
    const file = statSync(path, { throwIfNoEntry: false });
    if (!file) return "";
    // To systemd, a link to a device such as /dev/null masks the service, and so does an empty file.
    if (!file.isCharacterDevice() && file.size > 0) return readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(`${path} cannot be read: ${fileReason(error)}`);
  }
  throw new StartupError(
    `the service is masked by ${path}, so that it cannot start: run systemctl unmask muster first`,
  );
}

/**
 * @throws StartupError about another unit there: it may have settings that were not given now, such as the data
 * folder
 */
function refuseReplacement(path: string, present: string, unit: string): void {
  const differences = differencesOf(present, unit).join(", ") || "its comments";
  const command = /^ExecStart=(.*)$/m.exec(present)?.[1] ?? "nothing";
  throw new StartupError(
    `${path} is there, differs in ${differences}, and runs ${command}: give the same options to keep them, ` +
      "and --force to replace the unit",
  );
}

export const installCommand: Command = {
  name: "install",
  summary: "write a systemd unit that runs Muster with the settings given here",
  settings: SETTING_NAMES,
  notes: { data: `default ${DEFAULT_DATA}, ${SETTINGS.data.env}` },
  options: [
    { flag: "--unit-dir", value: "DIR", doc: `folder of the unit (default ${DEFAULT_UNIT_DIR})` },
    { flag: "--user", value: "NAME", doc: "run as this account instead of one that systemd creates" },
    { flag: "--force", doc: "replace a unit that differs" },
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
    const { flags, environment } = serviceSettings(args);
    const path = join(args.value("--unit-dir") ?? DEFAULT_UNIT_DIR, UNIT);
    const unit = unitText({
      executable: process.execPath,
      args: flags,
      data,
      user,
      lowPort: hasLowPort(config),
      environment,
    });
    const present = presentUnit(path);
    if (present === unit) {
      io.print(`${path} is there and has these settings: nothing was changed`);
      return 0;
    }
    if (present !== null && !args.has("--force")) refuseReplacement(path, present, unit);
    try {
      writePublicly(path, unit);
    } catch (error) {
      throw new StartupError(`${path} cannot be written: ${fileReason(error)}`);
    }
    io.print(`wrote ${path}: it runs ${process.execPath} on ${data}${user === null ? "" : ` as ${user}`}`);
    warnOfHidden(process.execPath, io);
    io.print("Run next:");
    if (user !== null && !isStateFolder(data))
      io.print(`  install -d -m 700 -o ${shellWord(user)} ${shellWord(data)}`);
    io.print("  systemctl daemon-reload");
    if (present === null) {
      io.print("  systemctl enable --now muster");
      io.print(`The first login is then described in ${join(data, "first-login.txt")}`);
    } else {
      io.print("  systemctl enable muster");
      io.print("  systemctl restart muster");
    }
    return 0;
  },
};
