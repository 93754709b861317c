import * as v from "valibot";
import { type CollectorCredential, collectorLine } from "../agent/collector-credential.ts";
import { type Operation, read } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";

/** Settings as administrators see them. */
export function settingsOperations(credential: CollectorCredential): Operation[] {
  return [
    read("/admin/settings/collector", {
      access: "admin",
      summary: "What an agent's control file needs to report here",
      takes: nothing,
      gives: v.object({ user: v.string(), password: v.string(), url: v.string(), line: v.string() }),
      handle: (_args, c) => {
        const { secure, host } = c.get("outside");
        const { user, password } = credential;
        return { user, password, ...collectorLine(credential, secure, host) };
      },
    }),
  ];
}
