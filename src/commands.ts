import { demoCommand } from "./demo.command.ts";
import { assemble } from "./muster.ts";
import { agentConfigCommand } from "./operations/commands/agent-config.command.ts";
import { backupCommands } from "./operations/commands/backup.commands.ts";
import type { Command } from "./operations/commands/command.ts";
import { configCommand } from "./operations/commands/config.command.ts";
import { doctorCommand } from "./operations/commands/doctor.command.ts";
import { expectCommands } from "./operations/commands/expect.commands.ts";
import { grantCommands } from "./operations/commands/grants.commands.ts";
import { healthcheckCommand } from "./operations/commands/healthcheck.command.ts";
import { importFromCommand } from "./operations/commands/import-from.command.ts";
import { installCommand } from "./operations/commands/install.command.ts";
import { inventoryCommand } from "./operations/commands/inventory.command.ts";
import { keyCommands } from "./operations/commands/keys.commands.ts";
import { moveCommand } from "./operations/commands/move.command.ts";
import { muteCommand } from "./operations/commands/mute.command.ts";
import { rotateKeyCommand } from "./operations/commands/rotate-key.command.ts";
import { transferCommands } from "./operations/commands/transfer.commands.ts";
import { userCommands } from "./operations/commands/users.commands.ts";
import { versionCommand } from "./operations/commands/version.command.ts";
import { offlineRuntime } from "./runtime.ts";
import { serveCommand } from "./serve.command.ts";

/** Every command of the executable, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  demoCommand,
  ...userCommands,
  ...grantCommands,
  ...backupCommands,
  moveCommand,
  ...transferCommands(({ db, box }) => assemble(offlineRuntime(db, box))),
  importFromCommand,
  doctorCommand,
  rotateKeyCommand,
  configCommand,
  agentConfigCommand,
  healthcheckCommand,
  ...keyCommands,
  ...expectCommands,
  muteCommand,
  inventoryCommand,
  installCommand,
  versionCommand,
];
