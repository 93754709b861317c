import { hostname } from "node:os";
import { agentConfig, type CollectorAddress } from "../../monitoring/collector/agent-config.ts";
import { CollectorCredential } from "../../monitoring/collector/collector-credential.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import type { Command } from "./command.ts";

const ADDRESS = { flag: "--address", value: "URL", doc: "under which agents reach Muster" };

function addressOf(text: string): CollectorAddress {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    throw new StartupError(`${ADDRESS.flag} must be an address that begins with http:// or https://`);
  const { protocol, host } = new URL(text);
  return { secure: protocol === "https:", host };
}

/** The address for want of a better one: the name of this machine. */
function ownAddress({ listen, tlsCert }: Config): CollectorAddress {
  const port = "port" in listen ? `:${listen.port}` : "";
  return { secure: tlsCert !== null, host: `${hostname()}${port}` };
}

export const agentConfigCommand: Command = {
  name: "agent-config",
  summary: "print the lines for an agent's control file, with the agents' password",
  settings: ["baseUrl", "listen", "tlsCert"],
  options: [ADDRESS],
  run: (given, io) => {
    const config = given.config();
    const result = withDatabase(given.folder, ({ db, box }) => {
      const settings = new Settings(db, box);
      const credential = new CollectorCredential(settings, systemClock);
      const wanted = given.value(ADDRESS.flag) ?? config.baseUrl?.origin ?? settings.get("baseurl");
      return agentConfig(credential, wanted === "" ? ownAddress(config) : addressOf(wanted));
    });
    if (result.loopback)
      io.complain("warning: no other machine reaches this address; give one with --address");
    io.print(result.config);
    io.print(result.httpd);
    return 0;
  },
};
