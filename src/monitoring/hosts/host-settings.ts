/** The settings of hosts between their columns and the API, where flags are 0 or 1. Pure functions. */
import { getTableColumns } from "drizzle-orm";
import { type HostRow, hosts } from "../../platform/storage/schema.ts";
import { type HostSettings, hostSettings, shownSettings } from "./hosts.schemas.ts";

const NAMES = Object.keys(hostSettings) as (keyof HostSettings)[];
const COLUMNS = getTableColumns(hosts);
const isFlag = (name: keyof HostSettings) => COLUMNS[name].dataType === "boolean";

/** The settings of a host. */
export function settingsOf(row: Pick<HostRow, keyof HostSettings>): HostSettings {
  const pairs = NAMES.map((name) => [name, isFlag(name) ? Number(row[name]) : row[name]]);
  return Object.fromEntries(pairs) as HostSettings;
}

const { hostname: _, ...initial } = settingsOf(
  Object.fromEntries(NAMES.map((name) => [name, COLUMNS[name].default])) as HostRow,
);
/**
 * The settings of a host that nobody has changed: the defaults of their columns. Its name is what the agent reports.
 */
export const INITIAL_SETTINGS: Readonly<Omit<HostSettings, "hostname">> = initial;

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
    present.map((name) => [name, isFlag(name) ? changes[name] === 1 : changes[name]]),
  );
}
