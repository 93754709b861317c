import type { Config } from "../../platform/config/config.definitions.ts";
import type { DataFolder } from "../../platform/storage/data-folder.ts";

/** The arguments of a command, from the command line and the environment. */
export interface CommandLine {
  folder: DataFolder;
  /** All settings, with checks across several of them. @throws ConfigError */
  config(): Config;
  /** All settings as an administrator would write them, null for what may be secret. @throws ConfigError */
  effective(): { name: string; text: string | null; source: string }[];
  /** The positional arguments, as many as `operands` names. */
  operands: readonly string[];
  /** The command line of another program, which follows `--`. */
  program: readonly string[];
  /** A variable of the environment. */
  variable(name: string): string | undefined;
  /** The file that `NAME_FILE` names, for a variable NAME. @throws ConfigError if both are set */
  fileVariable(name: string): string | undefined;
  has(option: string): boolean;
  value(option: string): string | undefined;
}

/** The terminal, or its replacement in a test. */
export interface Io {
  /**
   * Prints a line.
   * @param isOnlyCopy whether nothing can print it again, so that it is an error if nobody reads it any more
   * @throws StartupError if it cannot be written
   */
  print(line: string, isOnlyCopy?: boolean): void;
  complain(line: string): void;
  /** Shows a line in place of the previous one; absent unless the output is a terminal. */
  progress?: (line: string) => void;
  /** Reads one line without echo; a new secret is typed twice. @throws StartupError if there is none */
  readSecret(prompt: string, kind?: "new" | "known"): Promise<string>;
}

export interface Option {
  flag: string;
  /** Placeholder for its value in the help; absent for a switch. */
  value?: string;
  doc: string;
}

/** A command of the executable, with what its help says. */
export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** Set if the command works only on the database file of the data folder: what to do on a server instead. */
  onFileLike?: string;
  /** Set if the command neither needs the data folder nor a database. */
  usesNoData?: true;
  /** Names of the positional arguments; all are required. */
  operands?: readonly string[];
  /** Whether `--` and the command line of another program may follow. */
  startsProgram?: true;
  /** Settings that the command uses; the data folder is always included. */
  settings?: readonly (keyof Config)[];
  /** What the help says of these settings instead of their usual default and variable. */
  notes?: Partial<Record<keyof Config, string>>;
  options?: readonly Option[];
  /** @returns the exit code @throws an error that is printed as one line, with exit code 1 */
  run(args: CommandLine, io: Io): number | Promise<number>;
}
