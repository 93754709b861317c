import type { Command } from "./command.ts";
import { ALL_SETTINGS } from "./settings.ts";

export const configCommand: Command = {
  name: "config",
  summary: "print the effective settings and their sources, without secrets",
  settings: ALL_SETTINGS,
  run: (given, io) => {
    for (const { name, text, source } of given.effective())
      io.print(`${name.padEnd(28)}${(text || "-").padEnd(32)}${source}`);
    return 0;
  },
};
