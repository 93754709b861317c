/** The checks of Muster's own health: one line per case, with its findings. */
import { expect, test } from "bun:test";
import type { BackupRow } from "../../../src/operations/backups/backups.repository.ts";
import type { BackupFacts } from "../../../src/operations/backups/backups.service.ts";
import { findingsOf } from "../../../src/operations/health/checks.ts";
import type { HealthFacts } from "../../../src/operations/health/facts.ts";
import { START } from "../../support/clock.ts";
import { soundFacts } from "./facts.ts";

const DAY = 86_400;
const GB = 1e9;

/** The findings as "severity code subject". */
function found(changes: Partial<HealthFacts>): string[] {
  return findingsOf(soundFacts(changes)).map(({ severity, code, subject }) =>
    `${severity} ${code} ${subject}`.trim(),
  );
}

const { messages, agents, database, backup } = soundFacts();
const disk = (free: number, growth: number | null = null) => ({
  database: { ...database, growth, disk: { free, total: 200 * GB } },
});
const stored = (changes: Partial<BackupRow>): BackupRow => ({
  id: 1,
  name: "muster-20260105T030000Z.tar.zst",
  place: "/mnt/backup",
  createdAt: START - 3600,
  endedAt: START - 3000,
  state: "proven",
  bytes: GB,
  databaseBytes: 3 * GB,
  trouble: "",
  ...changes,
});
const automatic = (changes: Partial<BackupFacts>): Partial<HealthFacts> => ({
  backup: {
    ...backup,
    automatic: { last: stored({}), before: stored({}), due: null, failure: null, ...changes },
  },
});
const certificate = (expires: number | null, problem = "") => ({
  certificates: [{ name: "muster.example", expires, problem }],
});
const clocks = (wrong: number, behind: number) => ({
  agents: { ...agents, clocks: { wrong, behind, worst: [{ id: 1, name: "db-1", offset: 600 }] } },
});
const refused = (last: number) => ({
  messages: { ...messages, refused: [{ reason: "wrong password", count: 9, clients: 2, last }] },
});
const node = (unseenFor: number, version = "1.0.0", isActive = false) => ({
  nodes: [{ name: "beta", version, isActive, seenAt: START - unseenFor, unseenFor }],
});
const channel = (failures: number) => ({
  channels: { failing: 1, worst: [{ name: "mail", failures, answer: "no such host" }] },
});

const CASES: readonly (readonly [name: string, changes: Partial<HealthFacts>, findings: string[]])[] = [
  ["nothing is wrong", {}, []],
  ["the database cannot be written", { writable: false }, ["critical storage.unwritable"]],
  ["the disk is full in 31 days", disk(31 * GB, GB), []],
  ["the disk is full in 30 days", disk(30 * GB, GB), ["warning disk.filling"]],
  ["the disk is full in 7 days", disk(7 * GB, GB), ["critical disk.filling"]],
  ["the database shrinks", disk(30 * GB, -GB), []],
  ["growth is not known yet, and 5 % are free", disk(10 * GB), []],
  ["less than 5 % are free", disk(9.9 * GB), ["warning disk.filling"]],
  ["less than 1 % are free", disk(1.9 * GB), ["critical disk.filling"]],
  ["the disk is not known", { database: { ...database, disk: null } }, []],
  ["the last backup is of six days ago", { backup: { ...backup, last: START - 6 * DAY } }, []],
  [
    "the last backup is of a week ago",
    { backup: { ...backup, last: START - 7 * DAY } },
    ["warning backup.missing"],
  ],
  [
    "the last backup is of two months ago, as long as wanted",
    { backup: { ...backup, last: START - 60 * DAY, days: 60 } },
    ["warning backup.missing"],
  ],
  ["there was never a backup", { backup: { ...backup, last: null } }, ["warning backup.missing"]],
  [
    "there was never a backup of a new database",
    { backup: { ...backup, last: null }, database: { ...database, days: 6 } },
    [],
  ],
  ["nobody wants to hear of backups", { backup: { ...backup, last: null, days: 0 } }, []],
  ["the server makes the backups", { backup: { ...backup, last: null, possible: false } }, []],
  ["the last automatic backup is as large as the one before", automatic({}), []],
  [
    "the last automatic backup has half the size of the one before",
    automatic({ last: stored({ bytes: GB / 2 }) }),
    [],
  ],
  ["it has less than half", automatic({ last: stored({ bytes: GB / 2 - 1 }) }), ["warning backup.shrunk"]],
  [
    "it has less than half of a small one",
    automatic({ last: stored({ bytes: 1 }), before: stored({ databaseBytes: 9_999_999 }) }),
    [],
  ],
  ["a backup is due for less than 6 hours", automatic({ due: START - 6 * 3600 + 1 }), []],
  ["a backup is due for 6 hours", automatic({ due: START - 6 * 3600 }), ["warning backup.overdue"]],
  ["the last attempt at a backup failed", automatic({ failure: "no" }), ["warning backup.failed"]],
  [
    "a backup is due for 6 hours, and attempts fail",
    automatic({ due: START - 6 * 3600, failure: "no" }),
    ["warning backup.failed"],
  ],
  [
    "the last backup could not be proven",
    automatic({ last: stored({ state: "verified", trouble: "it could not be proven" }) }),
    ["warning backup.trouble"],
  ],
  ["the heartbeat is 10 s late", { heartbeatLag: 10 }, []],
  ["the heartbeat is 11 s late", { heartbeatLag: 11 }, ["critical heartbeat.late"]],
  ["a few messages wait", { messages: { ...messages, waiting: 1023 } }, []],
  [
    "a quarter of those wait that may",
    { messages: { ...messages, waiting: 1024 } },
    ["warning messages.waiting"],
  ],
  [
    "further messages are refused",
    { messages: { ...messages, waiting: 4096 } },
    ["critical messages.waiting"],
  ],
  ["messages were refused ten minutes ago", refused(START - 600), []],
  ["messages are refused", refused(START - 599), ["warning messages.refused wrong password"]],
  ["a channel failed once", channel(1), ["warning channel.failing mail"]],
  ["a channel failed three times in a row", channel(3), ["critical channel.failing mail"]],
  [
    "a notification waits for ten minutes",
    { deliveries: { waiting: 1, oldest: START - 600 } },
    ["warning deliveries.waiting"],
  ],
  ["notifications wait for a minute", { deliveries: { waiting: 99, oldest: START - 60 } }, []],
  ["a certificate ends in 22 days", certificate(START + 22 * DAY), []],
  [
    "a certificate ends in 21 days",
    certificate(START + 21 * DAY),
    ["warning certificate.expiring muster.example"],
  ],
  [
    "a certificate ends in 7 days",
    certificate(START + 7 * DAY),
    ["critical certificate.expiring muster.example"],
  ],
  ["a certificate has ended", certificate(START - 1), ["critical certificate.expiring muster.example"]],
  [
    "a certificate is rejected as expired",
    certificate(null, "certificate has expired"),
    ["critical certificate.expiring muster.example"],
  ],
  ["a certificate cannot be looked at", certificate(null, "no route to host"), []],
  ["a standby runs", node(60), []],
  ["a standby runs, and the clock of this node is ahead", { ...node(60), now: START + 600 }, []],
  ["a standby does not run", node(61), ["warning node.gone beta"]],
  ["the active node is this one", node(61, "0.9.0", true), []],
  ["a standby is of another version", node(0, "0.9.0"), ["warning node.outdated beta"]],
  [
    "expected hosts have not come",
    { agents: { ...agents, overdue: { count: 1, names: ["a"] } } },
    ["warning hosts.expected"],
  ],
  ["the clock of one host is wrong", clocks(1, 1), ["warning clock.hosts"]],
  ["the clocks of half the hosts are behind", clocks(5, 5), ["warning clock.hosts"]],
  ["the clocks of most hosts are behind", clocks(6, 6), ["critical clock.server"]],
  ["the clocks of most hosts are ahead", clocks(6, 0), ["critical clock.server"]],
  ["the clocks of most hosts are wrong, some behind and some ahead", clocks(8, 4), ["warning clock.hosts"]],
  [
    "two hosts of two have wrong clocks",
    { agents: { ...clocks(2, 2).agents, total: 2 } },
    ["warning clock.hosts"],
  ],
  [
    "a request to another system failed",
    { failingRequests: ["dead-man ping"] },
    ["warning request.failing dead-man ping"],
  ],
  ["background work fails", { failingWork: ["retention"] }, ["warning background.failing retention"]],
  ["forecasts are behind", { forecasts: { behind: 1 } }, ["warning forecasts.behind"]],
  ["forecasts catch up after a start", { forecasts: { behind: 9 }, uptime: 6 * 3600 - 1 }, []],
  [
    "values of past hours are not packed",
    { compaction: { packedThrough: START - 21_601, failed: 0 } },
    ["warning compaction.behind"],
  ],
  [
    "nothing was packed yet after a start",
    { compaction: { packedThrough: null, failed: 0 }, uptime: 60 },
    [],
  ],
  [
    "nothing was packed for six hours",
    { compaction: { packedThrough: null, failed: 0 }, uptime: 21_600 },
    ["warning compaction.behind"],
  ],
  [
    "values of a host cannot be packed",
    { compaction: { packedThrough: START, failed: 1 } },
    ["warning compaction.failed"],
  ],
  [
    "several things are wrong",
    { ...channel(1), writable: false },
    ["critical storage.unwritable", "warning channel.failing mail"],
  ],
  [
    "the worst comes first",
    { ...channel(1), heartbeatLag: 60, ...disk(9 * GB) },
    ["critical heartbeat.late", "warning disk.filling", "warning channel.failing mail"],
  ],
];

for (const [name, changes, findings] of CASES)
  test(`when ${name}: ${findings.join(", ") || "no finding"}`, () =>
    expect(found(changes)).toEqual(findings));

test("every finding says what is wrong and what to do, in sentences", () => {
  for (const [, changes] of CASES)
    for (const { text, advice } of findingsOf(soundFacts(changes))) {
      expect(text).toMatch(/^[A-Z0-9].{10}/);
      expect(advice).toMatch(/^[A-Z].*\.$/);
    }
});

test("texts name numbers that people can read", () => {
  const text = (changes: Partial<HealthFacts>) =>
    findingsOf(soundFacts(changes)).map((finding) => finding.text);
  expect(text(disk(6.5 * GB, GB))).toEqual([
    "The disk of the database will be full in 6 days if the database keeps growing as it does.",
  ]);
  expect(text(disk(1_234_567))).toEqual(["Only 1.2 MB is free on the disk of the database."]);
  expect(text(certificate(START + DAY))).toEqual(["The certificate of muster.example expires in 1 day."]);
  expect(text(clocks(5, 5))).toEqual(["Clocks are wrong: db-1 (10m behind) and 4 other hosts."]);
  expect(text({ deliveries: { waiting: 1, oldest: START - 1900 } })).toEqual([
    "1 notification cannot be sent, the oldest for 30m.",
  ]);
});
