/** The configuration of the demonstration, in the form of an export. */
import { STATISTIC } from "../monit/statistic-types.ts";
import { DAY } from "../platform/clock.ts";
import { DEMO_FLEET } from "./demo-hosts.ts";
import { agentIdOf } from "./demo-messages.ts";

const WORKDAYS = [1, 2, 3, 4, 5];
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

const PEOPLE = [
  ["anna", "Anna Berg"],
  ["ben", "Ben Ochs"],
  ["carla", "Carla Dorn"],
] as const;

function agentOf(name: string): string {
  return agentIdOf(DEMO_FLEET.findIndex((host) => host.name === name));
}

/** A document for the import. @param end of the history, unix seconds: rotations begin before it */
export function demoConfiguration(end: number): Record<string, unknown> {
  const month = new Date((end - 30 * DAY) * 1000).toISOString().slice(0, 10);
  const rotation = { start: month, handover: "09:00", every: 1 };
  return {
    muster: 1,
    groups: [
      { name: "Oslo", target: 99.9 },
      { name: "Tromsø", target: 99.5 },
      { name: "Bergen", target: 99.5 },
    ],
    users: PEOPLE.map(([uname, fullname]) => ({
      uname,
      fullname,
      title: "",
      email: `${uname}@example.org`,
      phone: "",
      mobile: "",
      imname: "",
      imtype: "",
      admin: false,
    })),
    channels: [
      // Messages to this name arrive nowhere.
      { name: "Chat", kind: "webhook", enabled: false, settings: { url: "https://chat.invalid/hook" } },
    ],
    oncall: [
      {
        name: "Operations",
        timezone: "UTC",
        rotations: [
          {
            ...rotation,
            name: "Days",
            users: ["anna", "ben"],
            unit: "day",
            hours: { days: WORKDAYS, from: "09:00", to: "18:00" },
          },
          {
            ...rotation,
            name: "Nights",
            users: ["carla", "anna"],
            unit: "week",
            hours: { days: EVERY_DAY, from: "18:00", to: "09:00" },
          },
        ],
        overrides: [],
      },
    ],
    rules: [
      {
        name: "Critical machines",
        filter: { hostgroups: ["Oslo"] },
        delay: 5,
        repeat: 60,
        steps: [{ schedules: ["Operations"] }, { after: 30, channels: ["Chat"] }],
      },
      { name: "Everything else", filter: {}, delay: 15, steps: [{ channels: ["Chat"] }] },
    ],
    maintenance: [
      {
        name: "Patching",
        filter: { hostgroups: ["Tromsø"] },
        schedule: { kind: "weekly", days: [0], from: "03:00", minutes: 90 },
      },
    ],
    dependencies: [
      { dependent: { host: agentOf("app-2.example.org") }, cause: { host: agentOf("sql-2.example.org") } },
    ],
    limits: [
      {
        name: "Memory",
        statistics: [STATISTIC.memoryPercent.code],
        filter: { hostgroups: ["Oslo"] },
        warning: 95,
        minutes: 10,
      },
    ],
    statuspages: [{ slug: "oslo", title: "Services in Oslo", hostgroup: "Oslo" }],
  };
}
