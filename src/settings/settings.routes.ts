import * as v from "valibot";
import { type CollectorCredential, collectorLine } from "../agent/collector-credential.ts";
import { callerOf, seesSecrets } from "../http/context.ts";
import { type Operation, read, write } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import { EDITABLE } from "./settings.definitions.ts";
import type { SettingsAdmin } from "./settings-admin.service.ts";

const number = v.number();
const string = v.string();

/** Every editable setting as an optional argument. */
const updateArguments = v.object({
  collectoruser: v.optional(EDITABLE.collectoruser.schema),
  collectorpassword: v.optional(EDITABLE.collectorpassword.schema),
  sessionidle: v.optional(EDITABLE.sessionidle.schema),
  timezone: v.optional(EDITABLE.timezone.schema),
  historyraw: v.optional(EDITABLE.historyraw.schema),
  historyfiveminutes: v.optional(EDITABLE.historyfiveminutes.schema),
  historyhourly: v.optional(EDITABLE.historyhourly.schema),
  eventdays: v.optional(EDITABLE.eventdays.schema),
  auditdays: v.optional(EDITABLE.auditdays.schema),
  otlpurl: v.optional(EDITABLE.otlpurl.schema),
  otlpinterval: v.optional(EDITABLE.otlpinterval.schema),
  otlpheaders: v.optional(EDITABLE.otlpheaders.schema),
  heartbeaturl: v.optional(EDITABLE.heartbeaturl.schema),
  heartbeatinterval: v.optional(EDITABLE.heartbeatinterval.schema),
});

const settingsReply = v.object({
  settings: v.array(
    v.object({
      name: string,
      value: v.union([string, number]),
      doc: string,
      allowed: string,
      kind: v.picklist(["number", "text"]),
      min: v.optional(number),
      max: v.optional(number),
    }),
  ),
  database: v.object({
    bytes: number,
    oldestevent: v.nullable(number),
    oldestsample: v.nullable(number),
  }),
  version: string,
});

/** Settings as administrators see and change them. */
export function settingsOperations(settings: SettingsAdmin, credential: CollectorCredential): Operation[] {
  return [
    read("/admin/settings/get", {
      access: "admin",
      summary: "Settings, size of the database and age of its oldest data, version",
      takes: nothing,
      gives: settingsReply,
      handle: (_args, c) => settings.get(seesSecrets(callerOf(c))),
    }),
    write("/admin/settings/update", {
      access: "admin",
      summary: "Change settings; those absent are kept",
      takes: updateArguments,
      gives: v.object({}),
      audit: { subject: "settings", state: () => settings.values() },
      handle: (args) => {
        settings.update(args);
        return {};
      },
    }),
    read("/admin/settings/collector", {
      access: "admin",
      summary: "What an agent's control file needs to report here",
      takes: nothing,
      gives: v.object({ user: string, password: string, url: string, line: string }),
      handle: (_args, c) => {
        const { secure, host } = c.get("outside");
        const { user } = credential;
        const password = seesSecrets(callerOf(c)) ? credential.password : "";
        return { user, password, ...collectorLine({ user, password }, secure, host) };
      },
    }),
  ];
}
