/** Requests that Muster sends to an agent's own HTTP interface. */
import { isIPv6 } from "node:net";

/** An agent that takes longer for its whole answer, milliseconds, counts as unreachable. */
export const AGENT_TIMEOUT_MS = 10_000;
/** Of an agent's answer no more than this many bytes are read. */
const MAX_REPLY_BYTES = 64 * 1024;

export const ACTIONS = ["start", "stop", "restart", "monitor", "unmonitor"] as const;
export type Action = (typeof ACTIONS)[number];

export interface AgentEndpoint {
  address: string;
  port: number;
  ssl: boolean;
  /** Whether the certificate must be valid. */
  sslverify: boolean;
  user: string;
  password: string;
}

/** Why an agent could not be asked, or said no; the message is one sentence for the administrator. */
export class AgentError extends Error {}

/** Host names and addresses, without anything that could lead a URL elsewhere. */
const ADDRESS = /^[\w.-]+$|^[0-9a-f:.]+(%\w+)?$/i;

function urlOf(endpoint: AgentEndpoint, path: string): string {
  if (!ADDRESS.test(endpoint.address)) throw new AgentError(`"${endpoint.address}" is no address`);
  const host = isIPv6(endpoint.address) ? `[${endpoint.address}]` : endpoint.address;
  const url = `${endpoint.ssl ? "https" : "http"}://${host}:${endpoint.port}${path}`;
  if (!URL.canParse(url)) throw new AgentError(`${endpoint.address} port ${endpoint.port} is no address`);
  return url;
}

async function readCapped(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= MAX_REPLY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REPLY_BYTES).toString("utf8");
}

async function ask(
  endpoint: AgentEndpoint,
  path: string,
  init: RequestInit,
  headers: Record<string, string>,
  timeoutMs: number,
) {
  const credentials = Buffer.from(`${endpoint.user}:${endpoint.password}`, "utf8").toString("base64");
  const url = urlOf(endpoint, path);
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...headers, Authorization: `Basic ${credentials}`, "Accept-Encoding": "identity" },
      // Whoever answers there could send the credentials on to elsewhere.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
      keepalive: false,
      // A few bytes could become many: what comes compressed unasked is no agent's answer.
      decompress: false,
      tls: { rejectUnauthorized: endpoint.sslverify },
    });
    return { status: response.status, body: await readCapped(response) };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      throw new AgentError(
        `The agent at ${endpoint.address}:${endpoint.port} did not answer within ${timeoutMs / 1000} seconds`,
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new AgentError(`The agent at ${endpoint.address}:${endpoint.port} cannot be reached: ${reason}`);
  }
}

function refusal(status: number): AgentError {
  if (status === 401) return new AgentError("The agent refused the username or password");
  if (status === 403) return new AgentError("The agent refused the request: its user may be read-only");
  return new AgentError(`The agent answered with status ${status}`);
}

/**
 * Asks an agent whether it is there and accepts the credentials.
 * @throws AgentError
 */
export async function pingAgent(endpoint: AgentEndpoint, timeoutMs = AGENT_TIMEOUT_MS): Promise<void> {
  const { status, body } = await ask(endpoint, "/_ping", { method: "GET" }, {}, timeoutMs);
  if (status !== 200) throw refusal(status);
  if (body.trim() !== "pong") throw new AgentError("What answered there is not a Monit agent");
}

/**
 * Has an agent do something to some of its services. The effect comes back later as events.
 * @throws AgentError
 */
export async function sendAction(
  endpoint: AgentEndpoint,
  action: Action,
  services: readonly string[],
  timeoutMs = AGENT_TIMEOUT_MS,
): Promise<void> {
  const token = crypto.randomUUID();
  const form = new URLSearchParams(services.map((service) => ["service", service]));
  form.append("action", action);
  // The agent compares form and cookie: any token will do as long as both carry it.
  form.append("securitytoken", token);
  const headers = { "Content-Type": "application/x-www-form-urlencoded", Cookie: `securitytoken=${token}` };
  const init = { method: "POST", body: form.toString() };
  const { status } = await ask(endpoint, "/_doaction", init, headers, timeoutMs);
  // Success is a redirect to the agent's own page; it is not followed.
  if (status !== 302 && status !== 200) throw refusal(status);
}
