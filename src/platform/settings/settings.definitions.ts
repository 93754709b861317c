/** Settings stored in the database that can change while Muster runs. */

import * as v from "valibot";
import { readHeaders } from "../egress/header-list.ts";
import { allowing, integer, oneOf, orEmpty, text, webAddress } from "../http/validate.ts";
import { MAIL_ADDRESS, MAIL_HOST, MAIL_SECURITY } from "../net/mail.ts";
import { readExternalLevels } from "./external-levels.ts";

export interface Definition {
  schema: v.GenericSchema<string | number>;
  initial: string | number;
  /** Whether the value is sealed in the database. */
  secret?: true;
  /** Whether no reply returns the value, not even to administrators. */
  writeOnly?: true;
  /** What it controls, a phrase. */
  doc: string;
}

/** Converts the stored text of a setting. @throws when this version does not allow the value */
export function valueIn({ schema, initial }: Definition, text: string): string | number {
  return v.parse(schema, typeof initial === "number" ? Number(text) : text);
}

/** Whether the URL has no path, query, fragment or password. */
function isOrigin({ href, origin }: URL): boolean {
  return href === `${origin}/`;
}

/**
 * Whether a time zone has this name. Older names count: Chromium in India says Asia/Calcutta, which
 * `Intl.supportedValuesOf` does not list. Offsets such as +01:00 do not.
 */
function isTimeZoneName(text: string): boolean {
  if (/^[+-]/.test(text)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone === text;
  } catch {
    return false;
  }
}

export const timeZone = allowing(
  v.pipe(v.string(), v.check(isTimeZoneName)),
  "the IANA name of a time zone, as in Europe/Oslo",
);

const origin = allowing(
  v.pipe(
    v.string(),
    v.maxLength(2048),
    v.check((text) => text === "" || (/^https?:/i.test(text) && URL.canParse(text))),
    v.check((text) => text === "" || isOrigin(new URL(text))),
    v.transform((text) => (text === "" ? "" : new URL(text).origin)),
  ),
  "an address of no more than http:// or https://, a host and a port, or empty for none",
);
const headers = allowing(
  v.pipe(
    v.string(),
    v.maxLength(4096),
    v.check((text) => readHeaders(text) !== null),
  ),
  "headers as name=value, separated by commas, with percent-encoded values, other than those that Muster sets itself, or empty for none",
);

const levels = allowing(
  v.pipe(
    v.string(),
    v.maxLength(16_384),
    v.check((text) => readExternalLevels(text) !== null),
  ),
  "GROUP=HOSTGROUP:LEVEL, separated by commas, where LEVEL is view, operate or manage, or empty for none",
);

const matching = (form: RegExp, allowed: string) =>
  orEmpty(allowing(v.pipe(v.string(), v.regex(form)), allowed));

const days = integer(1, 3650, "a number of days from 1 to 3650");
const anyTime = integer(0, Number.MAX_SAFE_INTEGER);

/** Settings that administrators can see and change. */
export const EDITABLE = {
  collectoruser: { schema: text(1, 255), initial: "monit", doc: "user name with which agents post" },
  collectorpassword: {
    schema: text(1, 255),
    initial: "",
    secret: true,
    doc: "password with which agents post; after a change the previous one works for 24 hours",
  },
  enrolplain: {
    schema: integer(0, 1, "0 or 1"),
    initial: 0,
    doc: "1: enrolment codes are accepted over plain http too; 0: only over https, or from this machine",
  },
  baseurl: {
    schema: origin,
    initial: "",
    doc: "public address of Muster, for links in messages; --base-url takes precedence",
  },
  sessionidle: {
    schema: integer(1, 43_200, "a number of minutes from 1 to 43200"),
    initial: 30,
    doc: "minutes without a request after which a session ends",
  },
  onlygroups: {
    schema: integer(0, 1, "0 or 1"),
    initial: 0,
    doc: "1: users see only the hosts of groups that they were granted; 0: users without grants see all hosts",
  },
  externallevels: {
    schema: levels,
    initial: "",
    doc: "levels by groups of the OpenID provider or proxy, as in ops=Web servers:operate; each sign-in replaces the user's levels with them",
  },
  timezone: {
    schema: timeZone,
    initial: Intl.DateTimeFormat().resolvedOptions().timeZone,
    doc: "time zone for the days and months of reports and for the times in messages",
  },
  mailhost: {
    schema: matching(MAIL_HOST, "a host name or an address"),
    initial: "",
    doc: "mail server of all channels of kind email without one of their own",
  },
  mailport: {
    schema: integer(1, 65_535, "a port"),
    initial: 587,
    doc: "port of the mail server, usually 587",
  },
  mailsecurity: {
    schema: oneOf(MAIL_SECURITY),
    initial: "starttls",
    doc: "encryption to the mail server: starttls (port 587), tls (port 465) or none, which allows no login",
  },
  mailuser: { schema: text(0, 255), initial: "", doc: "user name for the mail server; empty: no login" },
  mailpassword: {
    schema: text(0, 2048),
    initial: "",
    secret: true,
    writeOnly: true,
    doc: "password for the mail server, which is never returned, and is removed with the user name",
  },
  mailfrom: {
    schema: matching(MAIL_ADDRESS, "an e-mail address"),
    initial: "",
    doc: "sender of the mails of all channels of kind email without one of their own",
  },
  historyraw: { schema: days, initial: 14, doc: "days that raw statistics are kept" },
  historyfiveminutes: { schema: days, initial: 90, doc: "days that 5-minute statistics are kept" },
  historyhourly: { schema: days, initial: 1095, doc: "days that hourly statistics are kept" },
  eventdays: {
    schema: days,
    initial: 1095,
    doc: "days that events, their notes and downtimes are kept; uptime does not count time whose downtimes were deleted",
  },
  auditdays: { schema: days, initial: 1095, doc: "days that the audit log is kept" },
  backupplace: {
    schema: matching(
      /^(\/.{0,1000}|s3:\/\/\S{1,1000})$/,
      "the absolute path of a folder, or s3://bucket/path",
    ),
    initial: "",
    doc: "where backups are stored: a folder on the machine of Muster, as in /mnt/backup, or a bucket, as in s3://bucket/muster; empty: no scheduled backups",
  },
  backuptimes: {
    schema: allowing(
      v.pipe(v.string(), v.regex(/^([01]\d|2[0-3]):[0-5]\d(,([01]\d|2[0-3]):[0-5]\d){0,23}$/)),
      "times of the day as HH:MM, separated by commas",
    ),
    initial: "03:00",
    doc: "times of the day at which a backup is made, in the time zone of reports",
  },
  backupkeepdays: {
    schema: integer(1, 366),
    initial: 7,
    doc: "number of days for each of which the newest backup is kept",
  },
  backupkeepweeks: {
    schema: integer(0, 260),
    initial: 4,
    doc: "number of weeks for each of which the newest backup is kept",
  },
  backupkeepmonths: {
    schema: integer(0, 120),
    initial: 12,
    doc: "number of months for each of which the newest backup is kept",
  },
  backupdays: {
    schema: integer(0, 365, "a number of days from 0 to 365"),
    initial: 7,
    doc: "days without a backup after which Muster warns administrators; 0: never",
  },
  backuprecipients: {
    schema: allowing(
      v.pipe(v.string(), v.maxLength(16_384), v.regex(/^[\s,]*(?:age1[^\s,]+(?:[\s,]+|$))*$/)),
      "public keys of age (age1...), separated by commas or lines, or empty for none",
    ),
    initial: "",
    doc: "public keys to which backups are encrypted (age), with secret.key in them; empty: they are not encrypted, and do not contain secret.key",
  },
  backuprate: {
    schema: integer(0, 10_000_000, "a number of kB a second, or 0"),
    initial: 0,
    doc: "highest rate at which backups are sent to their place and read back, in kB a second; 0: unlimited",
  },
  backupendpoint: {
    schema: webAddress,
    initial: "",
    doc: "URL of the service that has the bucket, as in https://s3.eu-central-1.amazonaws.com",
  },
  backupregion: { schema: text(1, 64), initial: "us-east-1", doc: "region of the bucket" },
  backupkeyid: { schema: text(0, 255), initial: "", doc: "id of the access key for the bucket" },
  backupsecret: {
    schema: text(0, 2048),
    initial: "",
    secret: true,
    writeOnly: true,
    doc: "secret of the access key for the bucket, which is never returned",
  },
  expecteddays: {
    schema: integer(0, 365, "a number of days from 0 to 365"),
    initial: 2,
    doc: "days without a report of an expected host after which Muster warns administrators; 0: never",
  },
  forgottendays: {
    schema: integer(0, 3650, "a number of days from 0 to 3650"),
    initial: 30,
    doc: "days after which acknowledgements, mutes, ignored hosts and disabled rules are listed as possibly forgotten; 0: never",
  },
  otlpurl: {
    schema: webAddress,
    initial: "",
    doc: "URL to which the metrics of all hosts are pushed (OTLP/HTTP), as in http://collector:4318/v1/metrics",
  },
  otlpinterval: {
    schema: integer(10, 3600, "a number of seconds from 10 to 3600"),
    initial: 60,
    doc: "seconds between two pushes of metrics",
  },
  otlpheaders: {
    schema: headers,
    initial: "",
    secret: true,
    doc: "headers of these pushes, such as credentials",
  },
  heartbeaturl: {
    schema: webAddress,
    initial: "",
    secret: true,
    doc: "URL for dead-man pings: Muster requests it while it is healthy, and the service behind it alerts when that stops",
  },
  heartbeatinterval: {
    schema: integer(10, 86_400, "a number of seconds from 10 to 86400"),
    initial: 60,
    doc: "seconds between two dead-man pings",
  },
} satisfies Record<string, Definition>;

/** Values that Muster stores for itself. */
const INTERNAL = {
  collectorpasswordold: {
    schema: text(0, 255),
    initial: "",
    secret: true,
    doc: "previous collector password",
  },
  collectorpasswordchanged: { schema: anyTime, initial: 0, doc: "when it was replaced, unix seconds" },
  rolledthrough: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which history is aggregated per hour",
  },
  uptimesince: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which failures and excluded time may be incomplete, as retention has deleted some",
  },
  pastsince: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which moments are not known, as retention has deleted some of what was true then",
  },
  historyrawsince: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which retention has deleted raw statistics",
  },
  historyfiveminutessince: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which retention has deleted 5-minute statistics",
  },
  historyhourlysince: {
    schema: anyTime,
    initial: 0,
    doc: "unix time before which retention has deleted hourly statistics",
  },
  forecastday: { schema: anyTime, initial: 0, doc: "day since 1970 up to which forecasts were made" },
  // The time it was off is excluded time.
  aliveat: { schema: anyTime, initial: 0, doc: "unix time at which Muster last recorded that it runs" },
} satisfies Record<string, Definition>;

export const DEFINITIONS = { ...EDITABLE, ...INTERNAL };

/** Names of the settings whose values are sealed in the database. */
export const SECRET_SETTINGS: readonly string[] = Object.entries(DEFINITIONS).flatMap(([name, definition]) =>
  "secret" in definition ? [name] : [],
);

export type SettingName = keyof typeof DEFINITIONS;
export type EditableName = keyof typeof EDITABLE;
export type SettingValue<K extends SettingName> = v.InferOutput<(typeof DEFINITIONS)[K]["schema"]>;
