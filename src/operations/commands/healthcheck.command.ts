import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Config } from "../../platform/config/config.definitions.ts";
import { type ListenAddress, listenText } from "../../platform/config/values.ts";
import { fetchFailure } from "../../platform/net/fetch-failure.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { jsonIn } from "../../platform/text.ts";
import type { Command } from "./command.ts";

/** Longest wait for the server's reply, milliseconds. */
const TIMEOUT_MS = 5000;

/** Where a listening address is reached from this machine. */
function targetOf(address: ListenAddress): RequestOptions {
  if ("path" in address) return { socketPath: address.path };
  const { host, port } = address;
  return { host: { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host, port };
}

interface HealthReply {
  status: number;
  text: string;
}

/** Asks the server itself: `fetch` would go through the proxy of a variable such as HTTP_PROXY. */
function requestHealth(address: ListenAddress, { tlsCert }: Pick<Config, "tlsCert">): Promise<HealthReply> {
  const { promise, resolve, reject } = Promise.withResolvers<HealthReply>();
  const send = tlsCert !== null && "port" in address ? httpsRequest : httpRequest;
  const options = {
    ...targetOf(address),
    path: "/healthz",
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // The certificate names the public host, not this address. Only the health of the process matters here.
    rejectUnauthorized: false,
  };
  const sending = send(options, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text: text.trim() }));
    response.on("error", reject);
  });
  sending.on("error", reject).end();
  return promise;
}

/** Whether a node that does not serve is healthy: a standby, or one that migrates. */
function isWaiting(body: string): boolean {
  const code = (jsonIn(body) as { code?: unknown } | null | undefined)?.code;
  return code === "standby" || code === "upgrade";
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
      throw new StartupError(`the server at ${listenText(address)} does not answer: ${fetchFailure(error)}`);
    });
    const { status, text } = reply;
    if (status !== 200 && !isWaiting(text))
      throw new StartupError(`the server at ${listenText(address)} answers ${status}: ${text}`);
    io.print(text);
    return 0;
  },
};
