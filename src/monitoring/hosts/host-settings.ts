/** The settings of hosts between their columns and the API, where flags are 0 or 1. Pure functions. */
import type { HostRow } from "../../platform/storage/schema.ts";
import { type HostSettings, hostSettings, shownSettings } from "./hosts.schemas.ts";

/** Poll cycles without a message after which a new host counts as down. */
export const DEFAULT_SKEW = 3;

const NAMES = Object.keys(hostSettings) as (keyof HostSettings)[];
/** Columns that hold a flag. */
const FLAGS: ReadonlySet<string> = new Set([
  "keepname",
  "sslverify",
  "actionqueue",
] satisfies (keyof HostSettings)[]);

/** The settings of a host. */
export function settingsOf(row: Pick<HostRow, keyof HostSettings>): HostSettings {
  const pairs = NAMES.map((name) => [name, FLAGS.has(name) ? Number(row[name]) : row[name]]);
  return Object.fromEntries(pairs) as HostSettings;
}

type Shown = Pick<HostSettings, keyof typeof shownSettings>;

/** The settings that everyone sees who sees the host. */
export function shownSettingsOf(row: HostRow): Shown {
  const settings = settingsOf(row);
  const names = Object.keys(shownSettings) as (keyof Shown)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as Shown;
}

type Changes = { [K in keyof HostSettings]?: HostSettings[K] | undefined };

/** The columns of new settings, without those that are undefined. */
export function columnsOf(changes: Changes): Partial<HostRow> {
  const present = NAMES.filter((name) => changes[name] !== undefined);
  return Object.fromEntries(
    present.map((name) => [name, FLAGS.has(name) ? changes[name] === 1 : changes[name]]),
  );
}
