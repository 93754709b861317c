import type { Command } from "./operations/commands/command.ts";
import { SETTING_NAMES, SETTINGS } from "./platform/config/config.definitions.ts";
import { forgetVariables } from "./platform/secrets/environment.ts";
import { serve } from "./serve.ts";

/** Translates signals into stop and reload of the service. SIGUSR1 and SIGUSR2 do nothing. */
export function fromSignals() {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  const reload = new EventTarget();
  process.on("SIGHUP", () => reload.dispatchEvent(new Event("reload")));
  // Without a handler they would end the process. Tools send them to daemons that reopen logs or print their state.
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => undefined);
  return { stop: stop.signal, reload };
}

export const serveCommand: Command = {
  name: "serve",
  summary: "run the server: collect the reports of agents, serve the API and the web UI",
  settings: SETTING_NAMES,
  run: async (args) => {
    const config = args.config();
    const secrets = Object.values(SETTINGS).filter(({ secret, mayBeSecret }) => secret || mayBeSecret);
    forgetVariables(
      process.env,
      secrets.map(({ env }) => env),
    );
    await serve(config, fromSignals());
    return 0;
  },
};
