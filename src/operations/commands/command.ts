import type { Config } from "../../platform/config/config.definitions.ts";

/** What a command was given on the command line and in the environment. */
export interface Given {
  /** @throws ConfigError for a wrong value */
  setting<K extends keyof Config>(name: K): Config[K];
  /** All settings, with the checks that concern several of them. @throws ConfigError */
  config(): Config;
  /** All settings as people would give them, without secrets. @throws ConfigError */
  effective(): { name: string; text: string; source: string }[];
  /** The words that are no options, as many as `operands` names. */
  operands: readonly string[];
  /** Whether an option without a value was given. */
  has(option: string): boolean;
  /** The value of an option of this command alone. */
  value(option: string): string | undefined;
}

/** The terminal, or what stands in for it. */
export interface Io {
  print(line: string): void;
  complain(line: string): void;
  /** One line, not shown while it is typed. @throws StartupError when there is none */
  readSecret(prompt: string): Promise<string>;
}

export interface Option {
  flag: string;
  /** What its value is called; absent where it takes none. */
  value?: string;
  doc: string;
}

export interface Command {
  /** One or two words. */
  name: string;
  summary: string;
  /** Names of the words that must follow. */
  operands?: readonly string[];
  /** Settings that matter to it; the data folder always does. */
  settings?: readonly (keyof Config)[];
  options?: readonly Option[];
  /** @returns the exit code @throws StartupError for what ends it with one line and exit code 1 */
  run(given: Given, io: Io): number | Promise<number>;
}
