import { agentConfig } from "../../monitoring/collector/agent-config.ts";
import type { CollectorCredential } from "../../monitoring/collector/collector-credential.ts";
import { callerOf, seesSecrets } from "../../platform/http/context.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { collectorReply, settingsReply, updateArguments } from "../../platform/settings/settings.schemas.ts";
import type { SettingsAdmin } from "./settings-admin.service.ts";

/** The address by which the caller reaches Muster. */
function addressOf({ secure, host }: { secure: boolean; host: string }) {
  return { protocol: secure ? "https:" : "http:", host };
}

export function settingsOperations(settings: SettingsAdmin, credential: CollectorCredential): Operation[] {
  return [
    read("/admin/settings/get", {
      access: "admin",
      summary: "Settings, version, size of the database and age of its oldest data",
      response: settingsReply,
      handle: (_args, c) => settings.get(seesSecrets(callerOf(c))),
    }),
    write("/admin/settings/update", {
      access: "admin",
      summary: "Change settings; absent arguments keep their value",
      request: updateArguments,
      audit: { subject: "settings", state: () => settings.values() },
      handle: (args) => settings.update(args),
    }),
    read("/admin/settings/collector", {
      access: "admin",
      summary: "What an agent's control file needs to report here",
      response: collectorReply,
      handle: (_args, c) => {
        const { origin } = settings.get(false).baseurl;
        const { protocol, host } = origin === "" ? addressOf(c.get("clientInfo")) : new URL(origin);
        const { user } = credential;
        const password = seesSecrets(callerOf(c)) ? credential.password : "";
        const address = { secure: protocol === "https:", host };
        return { user, password, ...agentConfig({ user, password }, address) };
      },
    }),
  ];
}
