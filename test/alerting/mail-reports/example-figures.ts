import type { ReportFigures } from "../../../src/alerting/mail-reports/figures.schemas.ts";

const DAY = 86_400;
/** 2026-01-04 00:00:00 UTC. */
export const DAY_FROM = 1_767_484_800;

const web = { hostid: 7, hostname: "web-7.example", servicename: "nginx", failure: "Connection" };
const db = { hostid: 1, hostname: "db-1.example", servicename: "Monit", failure: "No report" };
const target = 99.9;

function uptime(hosts: number, down: number, wanted = target) {
  const counted = hosts * DAY;
  return {
    hosts,
    counted,
    down,
    uptime: (100 * (counted - down)) / counted,
    uptimebefore: 99.5,
    budget: (counted * (100 - wanted)) / 100,
  };
}

/** A day in which something happened everywhere. */
export const BUSY: ReportFigures = {
  datefrom: DAY_FROM,
  dateto: DAY_FROM + DAY,
  days: "2026-01-04",
  timezone: "UTC",
  target,
  total: uptime(18, 5400),
  groups: [
    { id: 2, name: "Databases", target: 99, ...uptime(6, 5400, 99) },
    { id: 1, name: "Web servers", target, ...uptime(12, 0) },
  ],
  worst: [
    { hostid: 1, hostname: db.hostname, uptime: 93.75, uptimebefore: 100, down: 5400, failures: 3 },
    { hostid: 7, hostname: web.hostname, uptime: 100, uptimebefore: null, down: 0, failures: 12 },
  ],
  failuretotal: 16,
  failuretotalbefore: 9,
  failures: [
    { ...web, times: 12, timesbefore: 4, seconds: 1440 },
    { ...db, times: 1, timesbefore: 0, seconds: 5400 },
  ],
  messages: 26,
  messagesbefore: 31,
  noise: [
    { ...web, messages: 22, share: 80.8, acted: false },
    { ...db, messages: 4, share: 11.5, acted: true },
  ],
  forecasts: [
    { hostid: 1, hostname: db.hostname, servicename: "data", type: 18, usage: 91.2, days: 12.4 },
    { hostid: 7, hostname: web.hostname, servicename: "root", type: 21, usage: 99.1, days: 0.5 },
  ],
  forgotten: {
    days: 30,
    totals: { acknowledgement: 1, mute: 0, host: 2, rule: 0 },
    records: [
      {
        kind: "acknowledgement",
        id: 5,
        name: "data on db",
        since: DAY_FROM - 40 * DAY,
        uname: "ann",
        note: "disk is ordered",
      },
      { kind: "host", id: 9, name: "old-web", since: DAY_FROM - 35 * DAY, uname: "", note: "" },
    ],
  },
};
