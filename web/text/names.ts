import type { GroupList, LedCode } from "../api/types.ts";

/** Names of the statuses that a light shows. */
export const LED_NAMES: Readonly<Record<LedCode, string>> = {
  0: "Failing",
  1: "Warning",
  2: "OK",
  3: "No data",
};
export const LED_COLOURS: Readonly<Record<LedCode, string>> = {
  0: "red",
  1: "orange",
  2: "green",
  3: "gray",
};
/** The light of Muster's own health, and of the severity of a finding about it. */
export const HEALTH_LEDS = { ok: 2, warning: 1, critical: 0 } as const;

/** By state code. An error is called failing only while it is active. */
export const EVENT_STATES = ["OK", "Failing", "Changed"] as const;
/** The state of an error that is over. */
export const RESOLVED = "Resolved";

/** Names of host groups by id; "#" and the id of one that is not in the list. */
export function groupNameIn({ groups }: GroupList): (id: number) => string {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? `#${id}`;
}
