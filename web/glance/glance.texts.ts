/** All texts of the heartbeat bar. */
export const GLANCE = {
  what: "The last 24 hours",
  notRead: "Last 24 hours: not known",
  notCounted: "Last 24 hours: no data",
  noOutage: "Last 24 hours: no outage",
  outage: (downHours: string, failingHours: string) =>
    `Last 24 hours: down in ${downHours} h, services failing in ${failingHours} h`,
  /** By the code of a half hour. */
  states: ["no data", "OK", "services failing", "down"],
  beat: (at: string, state: string) => `${at}: ${state}`,
} as const;
