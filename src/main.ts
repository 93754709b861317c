import { runCommand } from "./commands/run.ts";
import { terminal } from "./commands/terminal.ts";

process.exit(await runCommand(process.argv.slice(2), process.env, terminal));
