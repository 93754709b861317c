import type { Config } from "../../platform/config/config.definitions.ts";
import type { ListenAddress } from "../../platform/config/values.ts";
import { fetchFailure } from "../../platform/net/fetch-failure.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { Command } from "./command.ts";

/** Longest wait for the server's reply, milliseconds. */
const TIMEOUT_MS = 5000;

/** A URL that reaches a listening address from this machine. */
function urlOf({ host, port }: { host: string; port: number }, isTls: boolean): string {
  const near = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `${isTls ? "https" : "http"}://${near.includes(":") ? `[${near}]` : near}:${port}/healthz`;
}

async function requestHealth(
  address: ListenAddress,
  { tlsCert }: Pick<Config, "tlsCert">,
): Promise<Response> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if ("path" in address) return fetch("http://localhost/healthz", { unix: address.path, signal });
  // The certificate names the public host, not this address. Only the health of the process matters here.
  return fetch(urlOf(address, tlsCert !== null), { signal, tls: { rejectUnauthorized: false } });
}

/** Whether a node that does not serve is healthy: a standby, or one that migrates. */
function isWaiting(body: string): boolean {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return code === "standby" || code === "upgrade";
  } catch {
    return false;
  }
}

export const healthcheckCommand: Command = {
  name: "healthcheck",
  summary: "check that the running server is healthy, or a standby that could take over: exit code 0 or 1",
  settings: ["listen", "tlsCert", "tlsKey"],
  run: async (args, io) => {
    const config = args.config();
    const [address] = config.listen;
    if (!address) throw new StartupError("--listen names no address");
    const reply = await requestHealth(address, config).catch((error: unknown) => {
      throw new StartupError(`the server does not answer: ${fetchFailure(error)}`);
    });
    const text = (await reply.text()).trim();
    if (!reply.ok && !isWaiting(text)) throw new StartupError(`the server answers ${reply.status}: ${text}`);
    io.print(text);
    return 0;
  },
};
