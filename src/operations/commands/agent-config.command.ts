import { hostname } from "node:os";
import { agentConfig, type CollectorAddress } from "../../monitoring/agent-keys/agent-config.ts";
import { CollectorCredential } from "../../monitoring/agent-keys/collector-credential.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import { isLoopback, urlHost } from "../../platform/net/client-address.ts";
import { webUrl } from "../../platform/net/web-url.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import type { Command } from "./command.ts";

const ADDRESS = { flag: "--address", value: "URL", doc: "address at which agents reach Muster" };

const UNTRUSTED =
  "Agents refuse a certificate that they do not trust (Monit 6.1 and later, by default). Copy Muster's certificate, or that of " +
  "its authority, to the agents, and use these lines instead of the first two:";

function addressOf(text: string): CollectorAddress {
  // Agents post to a path of their own.
  const url = webUrl(text);
  if (url?.pathname !== "/" || url.search || url.hash || url.username)
    throw new StartupError(
      `${ADDRESS.flag} must be an address without a path, as in https://muster.example.org`,
    );
  return { secure: url.protocol === "https:", host: url.host };
}

/**
 * The default address: the name of this machine, and the first port that `serve` opens to others. If it opens none, the
 * address on which it listens, and the command warns that others cannot reach it.
 */
function ownAddress({ listen, tlsCert }: Config): CollectorAddress {
  const secure = tlsCert !== null;
  const ports = listen.flatMap((address) => ("port" in address ? [address] : []));
  const [first] = ports;
  const open = ports.find(({ host }) => !isLoopback(host) && host !== "localhost");
  if (open) return { secure, host: `${hostname()}:${open.port}` };
  if (!first) return { secure, host: hostname() };
  return { secure, host: `${urlHost(first.host)}:${first.port}` };
}

export const agentConfigCommand: Command = {
  name: "agent-config",
  summary: "print the lines for an agent's control file, with the agents' password",
  settings: ["baseUrl", "listen", "tlsCert"],
  options: [ADDRESS],
  run: (args, io) => {
    const config = args.config();
    const result = withDatabase(args.folder, ({ db, box }) => {
      const settings = new Settings(db, box);
      const credential = new CollectorCredential(settings, systemClock);
      const address = args.value(ADDRESS.flag) ?? config.baseUrl?.origin ?? settings.get("baseurl");
      return agentConfig(credential, address === "" ? ownAddress(config) : addressOf(address));
    });
    if (result.loopback)
      io.complain("warning: other machines cannot reach this address; name another one with --address");
    if (result.tls !== "") io.complain(`${UNTRUSTED}\n${result.tls}\n`);
    io.print(result.config);
    io.print(result.httpd);
    return 0;
  },
};
