/** What a host needs to ask for its actions: a script that Monit runs, and its settings. */
import { originOf } from "../../platform/net/web-url.ts";
import { type CollectorAddress, httpdUser, isLocalName } from "../agent-keys/agent-config.ts";
import script from "./helper.sh" with { type: "text" };

/** The script by which a host asks for its actions. */
export const helperScript: string = script;

const SCRIPT_PATH = "/usr/local/sbin/muster-actions";
const SETTINGS_PATH = "/etc/muster-actions.conf";
const SOCKET_PATH = "/var/run/monit.sock";
/** Ends the here-documents of `writing`. No line of the written files equals it. */
const END = "END_OF_FILE";

/** Shell commands that write a file. @param mode as for chmod */
function writing(path: string, mode: string, content: string): string {
  return `cat >${path} <<'${END}'\n${content}${END}\nchmod ${mode} ${path}`;
}

/**
 * What an administrator adds to a host so that it asks for actions: the commands that install the helper, and the lines
 * for Monit's control file.
 * @param login name and secret of the key with which the host reports
 * @returns `loopback`: whether only programs on the same machine can reach the address
 */
export function actionHelper(login: { user: string; password: string }, address: CollectorAddress) {
  const settings = `url=${originOf(address)}\nlogin=${login.user}:${login.password}\n`;
  const control = [
    `set httpd unixsocket ${SOCKET_PATH}`,
    `    allow ${httpdUser(login.password)}`,
    `check program muster-actions with path "${SCRIPT_PATH} ${SETTINGS_PATH}" timeout 120 seconds`,
    "    if status != 0 for 3 cycles then alert",
  ].join("\n");
  const install = [
    "umask 077",
    "mkdir -p /usr/local/sbin",
    writing(SETTINGS_PATH, "600", settings),
    writing(SCRIPT_PATH, "755", script),
  ].join("\n");
  return { install, control, loopback: isLocalName(address.host) };
}
