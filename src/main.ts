import { ConfigError, readConfig, settingsHelp } from "./config.ts";
import { serve } from "./serve.ts";
import { VERSION } from "./version.ts";

const HELP = `Muster ${VERSION}: a monitoring server for Monit agents

Usage: muster COMMAND [OPTIONS]

Commands:
  serve      collect what agents report, and serve API and web UI
  version    print the version
  help       print this

Options of serve, with the environment variable that does the same:
${settingsHelp()}`;

/** Runs until the process is told to stop. @returns the exit code */
async function runServe(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  try {
    await serve(readConfig(argv, process.env), stop.signal);
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`muster: ${error instanceof ConfigError ? reason : `cannot start: ${reason}`}`);
    return 1;
  }
}

async function main(argv: readonly string[]): Promise<number> {
  const [command = "help", ...rest] = argv;
  switch (command) {
    case "serve":
      return runServe(rest);
    case "version":
    case "--version":
      console.log(VERSION);
      return 0;
    case "help":
    case "--help":
    case "-h":
      console.log(HELP);
      return 0;
    default:
      console.error(`muster: there is no command "${command}" (see muster help)`);
      return 1;
  }
}

process.exit(await main(process.argv.slice(2)));
