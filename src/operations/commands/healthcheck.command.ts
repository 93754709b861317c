import type { Config } from "../../platform/config/config.definitions.ts";
import type { ListenAddress } from "../../platform/config/values.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { Command } from "./command.ts";

/** Milliseconds. */
const PATIENCE = 5000;

/** An address to connect to for one that is listened on. */
function urlOf({ host, port }: { host: string; port: number }, isTls: boolean): string {
  const near = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `${isTls ? "https" : "http"}://${near.includes(":") ? `[${near}]` : near}:${port}/healthz`;
}

async function ask(address: ListenAddress, { tlsCert }: Pick<Config, "tlsCert">): Promise<Response> {
  const signal = AbortSignal.timeout(PATIENCE);
  if ("path" in address) return fetch("http://localhost/healthz", { unix: address.path, signal });
  // The certificate bears the name under which others come; this asks whether the process is well.
  return fetch(urlOf(address, tlsCert !== null), { signal, tls: { rejectUnauthorized: false } });
}

export const healthcheckCommand: Command = {
  name: "healthcheck",
  summary: "ask the running server whether it is well: exit code 0 or 1",
  settings: ["listen", "tlsCert", "tlsKey"],
  run: async (given, io) => {
    const config = given.config();
    const [address] = config.listen;
    if (!address) throw new StartupError("--listen names no address");
    const reply = await ask(address, config).catch((error: unknown) => {
      throw new StartupError(`the server does not answer: ${error instanceof Error ? error.message : error}`);
    });
    const text = (await reply.text()).trim();
    if (!reply.ok) throw new StartupError(`the server answers ${reply.status}: ${text}`);
    io.print(text);
    return 0;
  },
};
