import { SETTINGS } from "../../platform/config/config.definitions.ts";
import {
  type Environment,
  effectiveSettings,
  fileVariable,
  readConfig,
  readSetting,
} from "../../platform/config/config.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { dataFolder } from "../../platform/storage/data-folder.ts";
import type { Command, CommandLine, Option } from "./command.ts";

/** The options of a command: those of its settings, then its own. */
export function optionsOf(command: Command): Option[] {
  const { settings = [], options = [], notes: ofCommand = {}, onFileLike, usesNoData } = command;
  const names = new Set<keyof typeof SETTINGS>([
    ...(usesNoData ? [] : (["data"] as const)),
    ...(usesNoData || onFileLike ? [] : (["database"] as const)),
    ...settings,
  ]);
  const ofSettings = [...names].flatMap((name) => {
    const { flag, value, doc, env, default: initial } = SETTINGS[name];
    const usual = [initial ? `default ${initial}` : "", env].filter(Boolean).join(", ");
    const notes = ofCommand[name] ?? usual;
    return flag === null ? [] : [{ flag, value, doc: notes === "" ? doc : `${doc} (${notes})` }];
  });
  return [...ofSettings, ...options];
}

/**
 * Refuses an empty value, which an unset variable in a script leaves: a command that ignored it could do more than was
 * meant. The values of settings are checked by their own parsers.
 * @throws ConfigError
 */
function refuseEmpty(name: string, value: string): void {
  if (!/[^\s,]/.test(value)) throw new ConfigError(`${name} must not be empty`);
}

/** The arguments of a command, without the program that it starts. */
export function ownArguments({ startsProgram }: Command, argv: readonly string[]): readonly string[] {
  const end = startsProgram ? argv.indexOf("--") : -1;
  return end < 0 ? argv : argv.slice(0, end);
}

/** Parses `--flag value`, `--flag=value`, `--switch` and operands. @throws ConfigError for anything else */
export function readCommandLine(command: Command, argv: readonly string[], env: Environment): CommandLine {
  const { operands = [], options = [] } = command;
  const own = ownArguments(command, argv);
  const optionByFlag = new Map(optionsOf(command).map((option) => [option.flag, option]));
  const values = new Map<string, string>();
  const words: string[] = [];
  for (let i = 0; i < own.length; i++) {
    const word = own[i] ?? "";
    const [flag = "", inline] = word.split(/=(.*)/s);
    const option = optionByFlag.get(flag);
    if (!option && (word.startsWith("-") || words.length === operands.length))
      throw new ConfigError(
        word.startsWith("-")
          ? `unknown option "${word}" (see muster ${command.name} --help)`
          : `unexpected argument "${word}" (see muster ${command.name} --help)`,
      );
    if (!option) {
      refuseEmpty(operands[words.length] ?? "", word);
      words.push(word);
    } else if (option.value === undefined) {
      if (inline !== undefined) throw new ConfigError(`${flag} takes no value`);
      values.set(flag, "");
    } else {
      const value = inline ?? own[++i];
      if (value === undefined) throw new ConfigError(`${flag} needs a value`);
      if (values.has(flag))
        throw new ConfigError(`${flag} is given twice: give it once, as ${flag} ${option.value}`);
      if (options.includes(option)) refuseEmpty(flag, value);
      values.set(flag, value);
    }
  }
  const missing = operands[words.length];
  if (missing !== undefined)
    throw new ConfigError(`${missing} must be given (see muster ${command.name} --help)`);
  return {
    operands: words,
    program: argv.slice(own.length + 1),
    variable: (name) => env[name],
    fileVariable: (name) => fileVariable(name, env)?.path,
    folder: dataFolder(
      readSetting("data", values, env),
      undefined,
      command.onFileLike ? null : readSetting("database", values, env),
    ),
    config: () => readConfig(values, env),
    effective: () => {
      readConfig(values, env);
      return effectiveSettings(values, env);
    },
    has: (option) => values.has(option),
    value: (option) => values.get(option),
  };
}
