import { backupCommands } from "./backup.commands.ts";
import type { Command } from "./command.ts";
import { configCommand } from "./config.command.ts";
import { doctorCommand } from "./doctor.command.ts";
import { healthcheckCommand } from "./healthcheck.command.ts";
import { installCommand } from "./install.command.ts";
import { rotateKeyCommand } from "./rotate-key.command.ts";
import { serveCommand } from "./serve.command.ts";
import { transferCommands } from "./transfer.commands.ts";
import { userCommands } from "./users.commands.ts";

/** Everything the executable can be told to do, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  ...userCommands,
  ...backupCommands,
  ...transferCommands,
  doctorCommand,
  rotateKeyCommand,
  configCommand,
  healthcheckCommand,
  installCommand,
];
