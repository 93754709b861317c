/** The groups and names of settings in the UI. A setting that is not listed here is shown under "Other". */
import type { Setting } from "../api/types.ts";
import { capitalize } from "../text/format.ts";
import { MAIL_SERVER } from "../text/mail-server.texts.ts";
import { PUBLIC_KEYS } from "../text/public-keys.texts.ts";
import type { SettingText } from "../ui/setting-field.tsx";
import type { SettingGroup } from "../ui/setting-form.tsx";
import { SETTINGS } from "./settings.texts.ts";

export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    title: "Agents",
    settings: {
      collectoruser: { label: "Agent user name" },
      collectorpassword: {
        label: "Agent password",
        hint: "After a change, the old one stays valid for 24 hours",
        secret: true,
      },
      enrolplain: {
        label: "Enrolment codes over plain http",
        choices: [
          ["0", "Refuse"],
          ["1", "Accept"],
        ],
        hint: "Over plain http, others on the network can read the code and the key",
      },
    },
  },
  {
    title: "Sign-in and links",
    settings: {
      sessionidle: { label: "Sign out after (minutes idle)" },
      baseurl: {
        label: "Public address",
        hint: "For links in notifications, e.g. https://muster.example.org",
      },
    },
  },
  { title: MAIL_SERVER.title, settings: MAIL_SERVER.settings },
  {
    title: "Users",
    settings: {
      onlygroups: {
        label: "Users without access to any group",
        choices: [
          ["0", "See all hosts"],
          ["1", "See no hosts"],
        ],
      },
      externallevels: {
        label: "Access by external groups",
        hint: "For groups of the OpenID provider or proxy, e.g. ops=Web servers:operate",
      },
    },
  },
  {
    title: "Reports",
    settings: {
      timezone: {
        label: "Report time zone",
        hint: "For days and months in reports, and for times in notifications",
      },
    },
  },
  {
    title: "Retention",
    settings: {
      historyraw: { label: "Raw values (days)" },
      historyfiveminutes: { label: "5-minute values (days)" },
      historyhourly: { label: "Hourly values (days)" },
      eventdays: {
        label: "Events, notes and downtime (days)",
        hint: "Uptime does not count time whose downtime was deleted",
      },
      auditdays: { label: "Audit log (days)" },
    },
  },
  {
    title: "Metrics push",
    settings: {
      otlpurl: { label: "OTLP address", hint: "e.g. http://collector:4318/v1/metrics; empty: no push" },
      otlpinterval: { label: "Push every (seconds)" },
      otlpheaders: { label: "OTLP headers", hint: "name=value, separated by commas", secret: true },
    },
  },
  {
    title: "Self-check",
    settings: {
      heartbeaturl: {
        label: "Self-check URL (dead-man ping)",
        hint: "Requested while Muster is healthy; the service behind it alerts you when the requests stop",
        secret: true,
      },
      heartbeatinterval: { label: "Ping every (seconds)" },
      expecteddays: {
        label: "Warn of expected hosts after (days)",
        hint: "If they have not reported by then; 0: never",
      },
      forgottendays: {
        label: "List as possibly forgotten after (days)",
        hint: "Acknowledgements, mutes, ignored hosts and disabled rules; 0: never",
      },
    },
  },
];

/** The settings of backups, which have a screen of their own. */
export const BACKUP_GROUPS: readonly SettingGroup[] = [
  {
    title: "Where and when",
    settings: {
      backupplace: {
        label: "Place",
        hint: "A folder, e.g. /mnt/backup, or a bucket, e.g. s3://bucket/muster; empty: no backups",
      },
      backuptimes: { label: "Times of day", hint: "e.g. 03:00, or 03:00,15:00" },
      backuprate: { label: "Rate limit (kB per second)", hint: "0: unlimited" },
    },
  },
  {
    title: "Kept",
    settings: {
      backupkeepdays: { label: "Daily backups" },
      backupkeepweeks: { label: "Weekly backups" },
      backupkeepmonths: { label: "Monthly backups" },
      backupdays: { label: "Warn without a backup for (days)", hint: "0: never" },
    },
  },
  {
    title: "Encryption",
    settings: {
      backuprecipients: PUBLIC_KEYS,
    },
  },
  {
    title: "Bucket",
    settings: {
      backupendpoint: { label: "URL of the service", hint: "e.g. https://s3.eu-central-1.amazonaws.com" },
      backupregion: { label: "Region" },
      backupkeyid: { label: "Access key ID" },
      backupsecret: { label: "Secret access key", secret: true },
    },
  },
];

/** The groups of the settings screen; settings without texts in the UI are in a group of their own. */
export function groupsOf(settings: readonly Setting[]): SettingGroup[] {
  const described = new Set(
    [...SETTING_GROUPS, ...BACKUP_GROUPS].flatMap((group) => Object.keys(group.settings)),
  );
  const others = settings.filter(({ name }) => !described.has(name));
  return [
    ...SETTING_GROUPS,
    {
      title: SETTINGS.others,
      settings: Object.fromEntries(
        others.map(({ name, doc }): [string, SettingText] => [name, { label: capitalize(doc) }]),
      ),
    },
  ];
}
