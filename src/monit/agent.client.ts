/** Requests that Muster sends to an agent's own HTTP interface. */
import { isIPv6 } from "node:net";
import { fetchFailure } from "../platform/net/fetch-failure.ts";

/** Time an agent has to send its complete response, milliseconds. After that it counts as unreachable. */
const AGENT_TIMEOUT_MS = 10_000;
/** The most bytes of an agent's response that are read; the rest is discarded. */
const MAX_REPLY_BYTES = 64 * 1024;

export const ACTIONS = ["start", "stop", "restart", "monitor", "unmonitor"] as const;
export type Action = (typeof ACTIONS)[number];

/** Where an agent's HTTP interface is, and the credentials for it. */
export interface AgentEndpoint {
  address: string;
  port: number;
  ssl: boolean;
  /** Whether the certificate must be valid. */
  sslverify: boolean;
  user: string;
  password: string;
}

/** A request to an agent failed or was rejected. The message is one sentence for the administrator. */
export class AgentError extends Error {}

/** A label of a host name, with letters of any language. */
const LABEL = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?";
/** Host names and IPv4 addresses, without any character that could change the host or path of a URL. */
const HOST_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*\\.?$`, "u");

/**
 * The host of an agent's URL, in ASCII: an IP address in brackets where needed, or a host name. Null for what
 * cannot be one, such as 10.0.0.256, a name with a port, or an IPv6 address with a zone.
 */
export function hostInUrl(address: string): string | null {
  if (isIPv6(address)) return address.includes("%") ? null : `[${address}]`;
  return HOST_NAME.test(address) ? (URL.parse(`http://${address}/`)?.hostname ?? null) : null;
}

function urlOf({ address, port, ssl }: AgentEndpoint, path: string): string {
  const host = hostInUrl(address);
  if (host !== null) return `${ssl ? "https" : "http"}://${host}:${port}${path}`;
  const problem = isIPv6(address) ? "has a zone, which cannot be used" : "is not an address";
  throw new AgentError(`"${address}" ${problem}`);
}

/** Where an agent listens, for people. */
export function placeOf({ address, port }: Pick<AgentEndpoint, "address" | "port">): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
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

/** Sends one authenticated request. @throws AgentError */
async function sendRequest(
  endpoint: AgentEndpoint,
  path: string,
  signal: AbortSignal,
  post: { headers?: Record<string, string>; body?: string } = {},
) {
  const credentials = Buffer.from(`${endpoint.user}:${endpoint.password}`, "utf8").toString("base64");
  const url = urlOf(endpoint, path);
  try {
    const response = await fetch(url, {
      method: post.body === undefined ? "GET" : "POST",
      ...post,
      headers: { ...post.headers, Authorization: `Basic ${credentials}`, "Accept-Encoding": "identity" },
      // A redirect could carry the credentials to another machine.
      redirect: "manual",
      signal,
      keepalive: false,
      // A small compressed body could expand without bound. Agents do not compress if it is not allowed.
      decompress: false,
      tls: { rejectUnauthorized: endpoint.sslverify },
    });
    return { status: response.status, body: await readCapped(response) };
  } catch (error) {
    const where = placeOf(endpoint);
    if (error instanceof Error && error.name === "TimeoutError")
      throw new AgentError(`The agent at ${where} did not answer within ${AGENT_TIMEOUT_MS / 1000} seconds`);
    throw new AgentError(`The agent at ${where} cannot be reached: ${fetchFailure(error)}`);
  }
}

function statusError(status: number): AgentError {
  if (status === 401) return new AgentError("The agent refused the user name or password");
  if (status === 403) return new AgentError("The agent refused the request: its user may be read-only");
  return new AgentError(`The agent answered with status ${status}`);
}

const timeLimit = () => AbortSignal.timeout(AGENT_TIMEOUT_MS);

/**
 * Checks that an agent responds and accepts the credentials.
 * @param signal ends the attempt
 * @throws AgentError
 */
export async function pingAgent(endpoint: AgentEndpoint, signal = timeLimit()): Promise<void> {
  const { status, body } = await sendRequest(endpoint, "/_ping", signal);
  if (status !== 200) throw statusError(status);
  if (body.trim() !== "pong") throw new AgentError("The server at this address is not a Monit agent");
}

/**
 * Makes an agent act on some of its services. It reports the effect later, as events.
 * @param signal ends the attempt
 * @throws AgentError
 */
export async function sendAction(
  endpoint: AgentEndpoint,
  action: Action,
  services: readonly string[],
  signal = timeLimit(),
): Promise<void> {
  const token = crypto.randomUUID();
  const form = new URLSearchParams(services.map((service) => ["service", service]));
  form.append("action", action);
  // The agent only checks that form and cookie carry the same token; it does not issue one.
  form.append("securitytoken", token);
  const headers = { "Content-Type": "application/x-www-form-urlencoded", Cookie: `securitytoken=${token}` };
  const { status } = await sendRequest(endpoint, "/_doaction", signal, { headers, body: form.toString() });
  // On success the agent redirects to its own page. The redirect is not followed.
  if (status !== 302 && status !== 200) throw statusError(status);
}
