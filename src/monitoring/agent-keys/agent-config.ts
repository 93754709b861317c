/** The lines that an agent's control file needs, for the UI and for `muster agent-config`. */
import { createHmac } from "node:crypto";
import type { AppContext } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { hostnameOf } from "../../platform/net/client-address.ts";
import { originOf } from "../../platform/net/web-url.ts";
import { collectorLine } from "./collector-credential.ts";

/** Where agents reach Muster. */
export interface CollectorAddress {
  secure: boolean;
  /** Host name and port. */
  host: string;
}

/** Hosts and ports that are safe in control files and shell scripts: the address may come from the request. */
const PLAIN_HOST = /^[\w.:[\]-]+$/;

/** The configured address, or else the one that the caller uses. @throws ApiError 400 if that one is unusable */
export function addressFor(c: AppContext, baseUrl: URL | null): CollectorAddress {
  if (baseUrl) return { secure: baseUrl.protocol === "https:", host: baseUrl.host };
  const { secure, host } = c.get("clientInfo");
  if (!PLAIN_HOST.test(host) || !URL.canParse(`http://${host}`))
    throw errors.badRequest("The Host header must be a host and a port");
  return { secure, host };
}

/** The line that makes Monit keep events while it cannot reach Muster. */
const KEEP_EVENTS = "set eventqueue basedir /var/lib/monit/events slots 1000";
const HTTPD_PORT = 2812;
const HTTPD_USER = "muster";

/**
 * Appended to the line for machines that do not trust Muster's certificate. Monit reads the certificate from the file.
 */
const TLS_OPTIONS = "    with ssl { verify: enable, cacertificatefile: /etc/monit/muster.pem }";

/** Whether only programs on the same machine can reach the address. */
export function isLocalName(host: string): boolean {
  const name = new URL(`http://${host}`).hostname;
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127\./.test(name);
}

/**
 * A password for the web interfaces of agents. It is derived from the collector's password, so that every page suggests
 * the same one and none stores it. Agents report it to Muster with their first message.
 */
function httpdPassword(collectorPassword: string): string {
  if (collectorPassword === "") return "";
  return createHmac("sha256", collectorPassword).update("monit httpd").digest("base64url").slice(0, 20);
}

/**
 * The user of an agent's own web interface, USER:PASSWORD.
 * @param collectorPassword the password with which it posts
 */
export function httpdUser(collectorPassword: string): string {
  return `${HTTPD_USER}:${httpdPassword(collectorPassword)}`;
}

/**
 * The lines that an agent's control file needs.
 * @returns `url` and `line` as `collectorLine`; `config`: the lines needed to report; `httpd`: those needed to take
 *   actions; `tls`: `config` for machines that do not trust Muster's certificate, empty without TLS
 */
export function agentConfig(credential: { user: string; password: string }, address: CollectorAddress) {
  const { url, line } = collectorLine(credential, address.secure, address.host);
  // Monit rejects an IPv6 address in brackets as a syntax error.
  const hostname = hostnameOf(new URL(`http://${address.host}`));
  const httpd = [
    `set httpd port ${HTTPD_PORT}`,
    `    allow ${hostname}`,
    `    allow ${httpdUser(credential.password)}`,
  ];
  return {
    url,
    line,
    config: `${line}\n${KEEP_EVENTS}`,
    httpd: httpd.join("\n"),
    tls: address.secure ? `${line}\n${TLS_OPTIONS}\n${KEEP_EVENTS}` : "",
    loopback: isLocalName(address.host),
  };
}

/** Where the enrolment script is served. */
export const SCRIPT_PATH = "/enrol.sh";
/** Where the helper script is served with which a host asks for its actions. */
export const HELPER_PATH = "/muster-actions.sh";

/**
 * The lines with which a machine gets a key for an enrolment code.
 * @returns `shell`: the line to run as root; `cloudinit`: the user data of a new machine
 */
export function enrolmentLines(code: string, address: CollectorAddress) {
  const shell = `curl -fsS ${originOf(address)}${SCRIPT_PATH} | MUSTER_CODE=${code} sh`;
  return { shell, cloudinit: `#cloud-config\npackages:\n  - curl\nruncmd:\n  - ${shell}` };
}
