import { settingsHelp } from "../../platform/config/config.ts";
import { VERSION } from "../../platform/version.ts";
import { optionsOf } from "./arguments.ts";
import type { Command } from "./command.ts";

function usageOf({ name, operands = [], startsProgram }: Command): string {
  return [name, ...operands, ...(startsProgram ? ["[-- COMMAND]"] : [])].join(" ");
}

const line = (what: string, doc: string) => `  ${what.padEnd(26)}${doc}`;

export function generalHelp(commands: readonly Command[]): string {
  return `Muster ${VERSION}: a monitoring server for Monit agents

Usage: muster COMMAND [OPTIONS]

Commands (muster COMMAND --help tells more; --data names the data folder for each of them):
${commands.map((command) => line(usageOf(command), command.summary)).join("\n")}
${line("help", "print this")}

Settings, with the environment variable that does the same:
${settingsHelp()}`;
}

export function commandHelp(command: Command): string {
  const options = optionsOf(command).map(({ flag, value, doc }) =>
    line(value ? `${flag} ${value}` : flag, doc),
  );
  return `Usage: muster ${usageOf(command)} [OPTIONS]

${command.summary}

${options.join("\n")}`;
}
