import { SETTING_NAMES } from "../../platform/config/config.definitions.ts";
import type { Command } from "./command.ts";

export const configCommand: Command = {
  name: "config",
  summary: "print the effective settings and their sources, without secrets",
  settings: SETTING_NAMES,
  run: (args, io) => {
    for (const { name, text, source } of args.effective())
      io.print(`${name.padEnd(28)}${(text === null ? "(hidden)" : text || "-").padEnd(32)}${source}`);
    return 0;
  },
};
