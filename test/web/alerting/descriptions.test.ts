/** Rules, scopes and schedules in words. */
import { expect, test } from "bun:test";
import { filterText, ruleText, scheduleText, scopeText } from "../../../web/alerting/descriptions.ts";
import type { Rule, RuleStep } from "../../../web/alerting/types.ts";

const NAMES = {
  host: (id: number) => `web-${id}`,
  group: (id: number) => ["", "Oslo", "Bergen", "Edge"][id] ?? "",
  channel: (id: number) => `Hook ${id}`,
  schedule: () => "Operations",
};
const STEP: RuleStep = { after: 0, channels: [1], users: [], schedules: [] };
const RULE: Rule = {
  id: 1,
  name: "Oslo",
  enabled: true,
  position: 1,
  final: false,
  filter: {},
  steps: [STEP],
  delay: 0,
  repeat: 0,
  flapcount: 0,
  flapwindow: 0,
  recovery: false,
  quiet: null,
} as Rule;

test("a scope is one sentence for each kind of thing, and without any it is everything", () => {
  expect(scopeText({}, NAMES)).toBe("All hosts and services.");
  expect(scopeText({ hosts: [1, 2], servicenames: ["nginx"] }, NAMES)).toBe(
    "Hosts: web-1 or web-2. Services: nginx.",
  );
  expect(scopeText({ hostgroups: [1, 2, 3], tags: ["role=web", "env=prod"] }, NAMES)).toBe(
    "Host groups: Oslo, Bergen or Edge. Tags: role=web and env=prod.",
  );
  expect(scopeText({ hosts: [], hostgroups: [] }, NAMES)).toBe(
    "Hosts you cannot see. Host groups you cannot see.",
  );
});

test("a rule names the states, types and severities it is about", () => {
  expect(filterText({}, NAMES)).toBe("All hosts and services.");
  expect(filterText({ about: "muster" }, NAMES)).toBe("Muster itself.");
  expect(filterText({ about: "muster", severities: [1, 2] }, NAMES)).toBe(
    "Muster itself. Severity: Warnings or Critical failures.",
  );
  expect(filterText({ severities: [2] }, NAMES)).toBe("Severity: Critical limit failures.");
  expect(filterText({ hostgroups: [1], states: [1, 2], servicetypes: [3], eventtypes: 1 }, NAMES)).toBe(
    "Host groups: Oslo. Service types: Process. Only some event classes. States: Failures or Changes.",
  );
});

test("a rule says whom it notifies, when, and to whom it escalates", () => {
  const told = (change: Partial<Rule>) =>
    ruleText({ ...RULE, ...change }, NAMES).replace("All hosts and services. ", "");
  expect(told({})).toBe("Notifies Hook 1 immediately.");
  expect(told({ recovery: true })).toBe("Notifies Hook 1 immediately and on recovery.");
  expect(told({ delay: 5 })).toBe("Notifies Hook 1 after 5 min.");
  expect(told({ delay: 90, recovery: true, repeat: 60 })).toBe(
    "Notifies Hook 1 after 1 h 30 min and on recovery. Repeats every 1 h.",
  );
  expect(told({ steps: [{ ...STEP, channels: [] }] })).toBe("Notifies nobody.");
  const later = { ...STEP, after: 15, channels: [2], users: ["anna"], schedules: [1] };
  expect(told({ steps: [STEP, later, { ...STEP, after: 45, channels: [] }] })).toBe(
    "Notifies Hook 1 immediately. Escalates after 15 min to Hook 2, anna and the person on call in Operations." +
      " Escalates after 45 min to nobody.",
  );
  const quiet = { days: [1, 2], from: "22:00", to: "06:00", timezone: "Europe/Berlin" };
  expect(told({ quiet })).toBe("Notifies Hook 1 immediately. Quiet hours: Mon and Tue, from 22:00 to 06:00.");
});

test("weekly maintenance is shown with its days, and daily maintenance without any", () => {
  const weekly = { kind: "weekly", days: [0, 6], from: "03:00", minutes: 90, timezone: "UTC" } as const;
  expect(scheduleText({ ...weekly, days: [0, 6] })).toBe("Sun and Sat: at 03:00 for 1 h 30 min (UTC).");
  expect(scheduleText({ ...weekly, days: [0, 1, 2, 3, 4, 5, 6] })).toBe(
    "Every day: at 03:00 for 1 h 30 min (UTC).",
  );
});
