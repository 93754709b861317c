import { addressFor, agentConfig } from "../../monitoring/agent-keys/agent-config.ts";
import type { CollectorCredential } from "../../monitoring/agent-keys/collector-credential.ts";
import { callerOf, seesSecrets } from "../../platform/http/context.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { collectorReply, settingsReply, updateArguments } from "../../platform/settings/settings.schemas.ts";
import type { SettingsAdmin } from "./settings-admin.service.ts";

/**
 * Operations on the settings of the database, for administrators. A token that only reads sees no secrets.
 */
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
      errors: [because(errors.missingArgument, "A mail server has no sender, or its password no user name")],
      audit: { subject: "settings", state: () => settings.values() },
      handle: (args) => settings.change(args),
    }),
    read("/admin/settings/collector", {
      access: "admin",
      summary: "What an agent's control file needs to report here",
      response: collectorReply,
      handle: (_args, c) => {
        const { origin } = settings.get(false).baseurl;
        const { user } = credential;
        const password = seesSecrets(callerOf(c)) ? credential.password : "";
        const address = addressFor(c, origin === "" ? null : new URL(origin));
        return { user, password, ...agentConfig({ user, password }, address) };
      },
    }),
  ];
}
