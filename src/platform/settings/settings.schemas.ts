import * as v from "valibot";
import { described } from "../http/validate.ts";
import { EDITABLE, type EditableName } from "./settings.definitions.ts";

const number = v.number();
const string = v.string();

type UpdateEntries = { [K in EditableName]: v.OptionalSchema<(typeof EDITABLE)[K]["schema"], undefined> };

/** Every editable setting as an optional argument. */
export const updateArguments = v.object(
  Object.fromEntries(
    Object.entries(EDITABLE).map(([name, { schema, doc }]) => [name, described(v.optional(schema), doc)]),
  ) as unknown as UpdateEntries,
);

const settingReply = v.object({
  name: described(string, "name of the setting"),
  value: described(
    v.union([string, number]),
    "value; empty for a secret that the caller may not see, and always for mailpassword and backupsecret",
  ),
  set: described(v.boolean(), "whether the value is not empty, also where it is not returned"),
  doc: described(string, "what the setting controls"),
  allowed: described(string, "allowed values"),
  kind: described(v.picklist(["number", "text"]), "kind of value"),
  min: described(v.optional(number), "smallest number allowed"),
  max: described(v.optional(number), "largest number allowed"),
});

const databaseReply = v.object({
  bytes: described(number, "size of the database"),
  oldestevent: described(v.nullable(number), "time of the oldest event, unix timestamp; null without events"),
  oldestsample: described(
    v.nullable(number),
    "time of the oldest statistic, unix timestamp; null without statistics",
  ),
});

export const settingsReply = v.object({
  settings: described(v.array(settingReply), "all settings"),
  database: described(databaseReply, "the database"),
  version: described(string, "version of Muster"),
  baseurl: described(
    v.object({
      origin: described(string, "address that messages link to; empty when there is none"),
      fixed: described(v.boolean(), "whether it was set at startup, which takes precedence over the setting"),
    }),
    "public address of Muster",
  ),
});

export const collectorReply = v.object({
  user: described(string, "user name with which agents post"),
  password: described(string, "password with which agents post; empty for a read-only token"),
  url: described(string, "URL to which agents post"),
  line: described(string, "line for an agent's control file"),
  config: described(string, "all lines that let an agent report"),
  httpd: described(string, "lines that let an agent take actions: its own web interface"),
  tls: described(
    string,
    "the lines of `config` for agents that do not trust Muster's certificate, which they read from a file; empty unless the URL is https",
  ),
  loopback: described(v.boolean(), "whether the URL reaches this machine only"),
});
