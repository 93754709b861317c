/** All texts of play: an incident, from ten minutes before it to ten after. */

export const PLAY = {
  label: "Play an incident",
  of: "Play",
  group: (name: string) => `Group ${name}`,
  play: "Play",
  pause: "Pause",
  previous: "Previous event",
  next: "Next event",
  time: "Time in the incident",
  close: "Close",
  speed: "60 times as fast",
  began: (at: string) => `${at}: the incident began`,
  event: (at: string, host: string, service: string, message: string) =>
    `${at}: ${service} on ${host}: ${message}`,
} as const;
