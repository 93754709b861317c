import { COMMANDS } from "./commands.ts";
import { runCommand } from "./operations/commands/run.ts";
import { terminal } from "./operations/commands/terminal.ts";

process.exit(await runCommand(COMMANDS, process.argv.slice(2), process.env, terminal));
