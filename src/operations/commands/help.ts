import { settingsHelp } from "../../platform/config/config.ts";
import { VERSION } from "../../platform/version.ts";
import type { Command } from "./command.ts";
import { optionsOf } from "./command-line.ts";

function usageOf({ name, operands = [], startsProgram }: Command): string {
  return [name, ...operands, ...(startsProgram ? ["[-- COMMAND]"] : [])].join(" ");
}

/** Two columns, the first as wide as its longest text. */
function columns(rows: readonly (readonly [name: string, doc: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, doc]) => `  ${name.padEnd(width)}${doc}`).join("\n");
}

function usages(commands: readonly Command[]): (readonly [usage: string, summary: string])[] {
  return commands.map((command) => [usageOf(command), command.summary]);
}

/** The text of `muster WORD --help`, where several commands begin with that word. */
export function familyHelp(word: string, commands: readonly Command[]): string {
  return `Usage: muster ${word} COMMAND [OPTIONS]

Commands (muster ${word} COMMAND --help lists their options):
${columns(usages(commands))}`;
}

/** The text of `muster help`: all commands, and the settings of `muster serve`. */
export function generalHelp(commands: readonly Command[]): string {
  return `Muster ${VERSION}: a monitoring server for Monit agents

Usage: muster COMMAND [OPTIONS]

Commands (muster COMMAND --help lists their options):
${columns([...usages(commands), ["help", "print this"]])}

Settings, with their environment variables:
${settingsHelp()}`;
}

/** The text of `muster COMMAND --help`: its usage, and every option and setting that it takes. */
export function commandHelp(command: Command): string {
  const options = optionsOf(command).map(
    ({ flag, value, doc }) => [value ? `${flag} ${value}` : flag, doc] as const,
  );
  return `Usage: muster ${usageOf(command)} [OPTIONS]

${command.summary}

${columns(options)}`;
}
