import { COMMANDS } from "./commands/commands.ts";
import { runCommand } from "./commands/run.ts";
import { terminal } from "./commands/terminal.ts";

process.exit(await runCommand(COMMANDS, process.argv.slice(2), process.env, terminal));
