import { SETTING_NAMES } from "../../platform/config/config.definitions.ts";
import { type Environment, unknownVariables } from "../../platform/config/config.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { reasonWithFile } from "../../platform/files/file-reason.ts";
import { ServiceEnded } from "../../platform/startup-error.ts";
import { clean } from "../../platform/text.ts";
import type { Command, Io } from "./command.ts";
import { ownArguments, readCommandLine } from "./command-line.ts";
import { commandHelp, familyHelp, generalHelp } from "./help.ts";

const isHelp = (word: string) => word === "--help" || word === "-h";

/** The commands whose names begin with a word and have another one. */
function familyOf(commands: readonly Command[], word: string): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** The help about what the words after `help` name: one command, or all that begin with a word that is none. */
function helpAbout(commands: readonly Command[], words: readonly string[]): string {
  const [word = ""] = words;
  const family = familyOf(commands, word);
  const isFamily = words.length === 1 && family.length > 0 && !commands.some(({ name }) => name === word);
  return isFamily ? familyHelp(word, family) : commandHelp(findCommand(commands, words).command);
}

/** Finds the command named by the first one or two words. */
function findCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { command: Command; args: string[] } {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(" ");
    const command = commands.find((candidate) => candidate.name === name);
    if (command) return { command, args: argv.slice(length) };
  }
  const [word = ""] = argv;
  const names = familyOf(commands, word).map(({ name }) => name);
  if (names.length > 0)
    throw new ConfigError(`incomplete command "${word}": use one of ${names.join(", ")} (see muster help)`);
  throw new ConfigError(`there is no command "${word}" (see muster help)`);
}

function print(io: Io, text: string): number {
  io.print(text);
  return 0;
}

/** @throws ConfigError for a command that works on database files only, if the database in use is on a server */
function refuseServer({ name, onFileLike }: Command, env: Environment): void {
  // As for the service, an empty variable counts as unset.
  const variable = ["MUSTER_DATABASE", "MUSTER_DATABASE_FILE"].find((name) => env[name]);
  if (onFileLike && variable !== undefined)
    throw new ConfigError(
      `muster ${name} works on a database file, but ${variable} names a server: ${onFileLike}`,
    );
}

/**
 * Warns of misspelt variables if the command takes all settings. They are no error, as a newer Muster may know them.
 */
function warnOfUnknown({ settings }: Command, env: Environment, io: Io): void {
  if (settings !== SETTING_NAMES) return;
  for (const name of unknownVariables(env))
    io.complain(`warning: ${name} is not a setting, so it has no effect (see muster help)`);
}

/** Runs the command that `argv` names. @returns the exit code: 1 after an error, printed as one line */
export async function runCommand(
  commands: readonly Command[],
  argv: readonly string[],
  env: Environment,
  io: Io,
): Promise<number> {
  const [word = "help"] = argv;
  if (word === "--version") return runCommand(commands, ["version", ...argv.slice(1)], env, io);
  let command: Command | null = null;
  const umask = process.umask();
  try {
    if (word === "help" || isHelp(word)) {
      const about = argv.slice(1).filter((argument) => !isHelp(argument));
      return print(io, about.length > 0 ? helpAbout(commands, about) : generalHelp(commands));
    }
    const [, second = ""] = argv;
    if (argv.length === 2 && isHelp(second)) return print(io, helpAbout(commands, [word]));
    const match = findCommand(commands, argv);
    command = match.command;
    if (ownArguments(command, match.args).some(isHelp)) return print(io, commandHelp(command));
    refuseServer(command, env);
    // New files belong to their owner only, even in an existing folder that others can read.
    if (!command.startsProgram) process.umask(0o077);
    warnOfUnknown(command, env, io);
    return await command.run(readCommandLine(command, match.args, env), io);
  } catch (error) {
    // The reason may quote a name, or the reply of a server.
    const reason = clean(reasonWithFile(error));
    const isExplained = error instanceof ConfigError || error instanceof ServiceEnded;
    const isStart = command?.name === "serve" && !isExplained;
    io.complain(isStart ? `cannot start: ${reason}` : reason);
    return 1;
  } finally {
    process.umask(umask);
  }
}
