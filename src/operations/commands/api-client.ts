/** Calls operations of a running server, for commands that work from anywhere. */

import * as v from "valibot";
import { baseUrl, ConfigError } from "../../platform/config/values.ts";
import { readPrivately } from "../../platform/files/private-file.ts";
import { fetchFailure } from "../../platform/net/fetch-failure.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { jsonIn } from "../../platform/text.ts";
import type { CommandLine, Option } from "./command.ts";
import { readFor } from "./named-source.ts";

/** Longest wait for a reply, milliseconds. */
const TIMEOUT_MS = 10_000;
/** The same for a file, which Muster exports or imports step by step. */
const FILE_TIMEOUT_MS = 600_000;

/** The replies of Muster when it refuses a request, and of a standby. */
const failed = v.object({ error: v.string() });
const waiting = v.object({ message: v.string() });

function refusalIn(status: number, answer: unknown): string {
  if (v.is(failed, answer)) return answer.error;
  return v.is(waiting, answer) ? answer.message : `it answers with status ${status}`;
}

/** The options that name a server. @param owner the user whose token is needed */
export function serverOptions(owner: string): Option[] {
  return [
    { flag: "--url", value: "URL", doc: "address of Muster (MUSTER_URL)" },
    {
      flag: "--token-file",
      value: "FILE",
      doc: `file with an API token of ${owner} (MUSTER_TOKEN_FILE, or the token in MUSTER_TOKEN)`,
    },
  ];
}

/** Whether the options or the environment name a server. */
export function namesServer(args: CommandLine): boolean {
  return (args.value("--url") ?? args.variable("MUSTER_URL")) !== undefined;
}

/** @throws ConfigError */
function addressOf(args: CommandLine): URL {
  const text = args.value("--url") ?? args.variable("MUSTER_URL") ?? "";
  try {
    return baseUrl(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const source = args.has("--url") ? "--url" : text === "" ? "--url or MUSTER_URL" : "MUSTER_URL";
    throw new ConfigError(
      `${source} must be the address of Muster, an origin without a path, as in https://muster.example.org`,
    );
  }
}

/** The server that options and environment name. @param owner the user whose token is needed @throws ConfigError */
export function apiClientOf(args: CommandLine, owner: string): ApiClient {
  const url = addressOf(args);
  const file = args.value("--token-file") ?? args.fileVariable("MUSTER_TOKEN");
  const source = args.has("--token-file") ? "--token-file" : "MUSTER_TOKEN_FILE";
  const token =
    file === undefined ? args.variable("MUSTER_TOKEN") : readFor(source, () => readPrivately(file).trim());
  if (!token) throw new ConfigError(`MUSTER_TOKEN or --token-file must give an API token of ${owner}`);
  return new ApiClient(url, token);
}

/** A running server, with the rights of an API token. It follows no redirects, which could lead the token elsewhere. */
export class ApiClient {
  constructor(
    private readonly url: URL,
    private readonly token: string,
  ) {}

  /**
   * @param operation its path below /api/1/
   * @param args of an operation that takes JSON
   * @throws StartupError
   */
  call<S extends v.GenericSchema>(
    method: "GET" | "POST",
    operation: string,
    reply: S,
    args: object = {},
  ): Promise<v.InferOutput<S>> {
    if (method === "GET") return this.#send(operation, reply, { method });
    const body = JSON.stringify(args);
    return this.#send(operation, reply, { method, body, headers: { "Content-Type": "application/json" } });
  }

  /** Calls an operation that answers with a file. @throws StartupError */
  download<S extends v.GenericSchema>(operation: string, reply: S): Promise<v.InferOutput<S>> {
    return this.#send(operation, reply, { method: "GET" }, FILE_TIMEOUT_MS);
  }

  /** Calls an operation that takes a file. @param field the argument that is the file @throws StartupError */
  upload<S extends v.GenericSchema>(
    operation: string,
    field: string,
    file: string,
    reply: S,
  ): Promise<v.InferOutput<S>> {
    const body = new FormData();
    body.set(field, new Blob([file]), field);
    return this.#send(operation, reply, { method: "POST", body }, FILE_TIMEOUT_MS);
  }

  async #send<S extends v.GenericSchema>(
    operation: string,
    reply: S,
    { headers, ...request }: RequestInit & { headers?: Record<string, string> },
    timeout = TIMEOUT_MS,
  ): Promise<v.InferOutput<S>> {
    try {
      const response = await fetch(new URL(`/api/1/${operation}`, this.url), {
        ...request,
        headers: { ...headers, Authorization: `Bearer ${this.token}` },
        redirect: "error",
        signal: AbortSignal.timeout(timeout),
      });
      const json = jsonIn(await response.text());
      if (!response.ok) throw new Error(refusalIn(response.status, json));
      const result = v.safeParse(reply, json);
      if (!result.success) throw new Error("it does not answer as Muster does: check the address");
      return result.output;
    } catch (error) {
      throw new StartupError(`${operation} at ${this.url.origin}: ${fetchFailure(error)}`);
    }
  }
}
