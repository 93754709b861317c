import { describe, expect, test } from "bun:test";
import type { AlertKind } from "../../../src/alerting/notifications/decide.ts";
import { composeMessage, type NotifiedEvent } from "../../../src/alerting/notifications/message-text.ts";
import { HEARTBEAT } from "../../../src/monit/event-types.ts";
import { START } from "../../support/clock.ts";

const WEB: NotifiedEvent = {
  id: 7,
  hostId: 1,
  hostname: "edge-1",
  service: "web",
  eventType: 32,
  state: 1,
  message: "connection refused",
  date: START,
  failedAt: START,
  endedAt: START + 750,
};
const SILENT: NotifiedEvent = {
  ...WEB,
  id: 8,
  service: "Monit",
  eventType: HEARTBEAT,
  message: "No report from Monit for 90 seconds",
};

function compose(kind: AlertKind, events: readonly NotifiedEvent[], baseUrl: string | null = null) {
  const url = baseUrl === null ? null : new URL(baseUrl);
  return composeMessage({
    id: "x",
    kind,
    rule: "night shift",
    events,
    baseUrl: url,
    timeZone: "UTC",
    at: START + 3600,
  });
}

describe("a title begins with the most important words", () => {
  const other = { ...WEB, id: 9, hostname: "edge-2" };
  const cases: readonly [AlertKind, readonly NotifiedEvent[], string][] = [
    ["problem", [WEB], "web on edge-1: connection refused"],
    ["change", [WEB], "web on edge-1: connection refused"],
    ["reminder", [WEB], "Ongoing for 1h: web on edge-1: connection refused"],
    ["escalation", [WEB], "Escalated after 1h: web on edge-1: connection refused"],
    ["recovery", [WEB], "Recovered after 12m 30s: web on edge-1: connection refused"],
    [
      "recovery",
      [{ ...WEB, unmonitored: "unmonitored" }],
      "No longer monitored after 12m 30s: web on edge-1: connection refused",
    ],
    ["problem", [SILENT], "edge-1 is down"],
    ["change", [{ ...SILENT, state: 0 }], "edge-1 reports again"],
    ["reminder", [SILENT], "Ongoing for 1h: edge-1 is down"],
    ["recovery", [SILENT], "edge-1 reports again after 12m 30s"],
    ["flapping", [WEB], "Flapping: web on edge-1: connection refused"],
    ["flapping", [SILENT], "edge-1 keeps going down"],
    ["flapping", [WEB, other], "2 are flapping: web on edge-1, web on edge-2"],
    ["steady", [WEB], "No longer flapping after 12m 30s: web on edge-1: connection refused"],
    ["steady", [SILENT], "edge-1 reports steadily again after 12m 30s"],
    ["steady", [WEB, other], "2 no longer flap: web on edge-1, web on edge-2"],
    ["problem", [WEB, other], "2 problems: web on edge-1, web on edge-2"],
    ["change", [WEB, other], "2 changes: web on edge-1, web on edge-2"],
    ["reminder", [WEB, other], "Ongoing: 2 problems: web on edge-1, web on edge-2"],
    ["escalation", [WEB, other], "Escalated: 2 problems: web on edge-1, web on edge-2"],
    ["recovery", [WEB, other], "2 problems are resolved: web on edge-1, web on edge-2"],
    [
      "recovery",
      [
        { ...WEB, unmonitored: "unmonitored" },
        { ...other, unmonitored: "vanished" },
      ],
      "2 problems are no longer monitored: web on edge-1, web on edge-2",
    ],
    [
      "recovery",
      [WEB, { ...other, unmonitored: "unmonitored" }],
      "2 problems are resolved or no longer monitored: web on edge-1, web on edge-2",
    ],
    ["problem", [SILENT, { ...SILENT, hostname: "edge-2" }], "2 hosts are down: edge-1, edge-2"],
    ["recovery", [SILENT, { ...SILENT, hostname: "edge-2" }], "2 hosts report again: edge-1, edge-2"],
  ];
  for (const [kind, events, title] of cases)
    test(`${kind} of ${events.length}: ${title}`, () => {
      expect(compose(kind, events).title).toBe(title);
    });
});

test("times are those of the report time zone, in summer and in winter", () => {
  const at = (date: number) =>
    composeMessage({
      id: "x",
      kind: "problem",
      rule: "r",
      baseUrl: null,
      timeZone: "Europe/Oslo",
      at: START,
      events: [{ ...WEB, date }],
    }).text.split("  ")[0];
  expect(at(START)).toBe("2026-01-05 13:00:00 CET");
  expect(at(START + 180 * 86_400)).toBe("2026-07-04 14:00:00 CEST");
});

test("the text has a line for each event, and the rule", () => {
  expect(compose("problem", [WEB], "https://muster.example.org").text).toBe(
    ["2026-01-05 12:00:00 UTC  web on edge-1: connection refused (Connection)", "", "Rule: night shift"].join(
      "\n",
    ),
  );
  const both = compose("recovery", [WEB, { ...WEB, id: 9 }], "https://muster.example.org");
  expect(both.text).toBe(
    [
      "2026-01-05 12:00:00 UTC  web on edge-1: connection refused (Connection), resolved at 2026-01-05 12:12:30 UTC",
      "2026-01-05 12:00:00 UTC  web on edge-1: connection refused (Connection), resolved at 2026-01-05 12:12:30 UTC",
      "",
      "Rule: night shift",
    ].join("\n"),
  );
  // The link is each channel's to add.
  expect(both.url).toBe("https://muster.example.org/events");
  expect(compose("problem", [WEB]).url).toBeNull();
  expect(compose("problem", [WEB]).text.endsWith("Rule: night shift")).toBe(true);
});

test("a failure whose service is no longer monitored is not said to be over", () => {
  expect(compose("recovery", [{ ...WEB, unmonitored: "vanished" }]).text).toStartWith(
    "2026-01-05 12:00:00 UTC  web on edge-1: connection refused (Connection), not monitored since 2026-01-05 12:12:30 UTC\n",
  );
});

test.each([
  [
    'Notifications through the channel "Mail" fail: 550 no',
    'Notifications through the channel "Mail" fail: 550 no.',
  ],
  ["The disk is full.", "The disk is full."],
])("what is wrong with Muster ends as a sentence before what to do: %s", (message, sentence) => {
  const finding = { ...WEB, message, advice: "Look at it." };
  expect(compose("problem", [finding]).text).toStartWith(
    `2026-01-05 12:00:00 UTC  ${sentence} Look at it.\n`,
  );
  expect(compose("recovery", [finding]).text).toStartWith(
    `2026-01-05 12:00:00 UTC  ${sentence} Resolved at 2026-01-05 12:12:30 UTC\n`,
  );
});

test("programs get the same, piece by piece", () => {
  const { events } = compose("recovery", [WEB]);
  expect(events).toEqual([
    {
      id: 7,
      hostId: 1,
      hostname: "edge-1",
      service: "web",
      type: "Connection",
      state: "success",
      message: "connection refused",
      date: START + 750,
      key: `muster-7-${START}`,
    },
  ]);
  expect(compose("problem", [WEB]).events[0]?.key).toBe(`muster-7-${START}`);
});

test("names keep the joiners that words and emoji are written with", () => {
  const [hostname, service] = [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u{1f468}\u200d\u{1f4bb}",
  ];
  const { title, events } = compose("problem", [{ ...WEB, hostname, service }]);
  expect(title).toStartWith(`${service} on ${hostname}: `);
  expect(events).toMatchObject([{ hostname, service }]);
});

test("an agent's text cannot pretend to be another line, nor turn or fill the message", () => {
  const hostile = {
    ...WEB,
    hostname: "edge\r\nSubject: forged",
    service: `web\u0000\u001b[31m\u202e${"s".repeat(1000)}`,
    message: `line one\n2026-01-05  all is well\u0085\u2028\u200b ${"x".repeat(100_000)}`,
  };
  const { title, text, events } = compose("problem", [hostile]);
  for (const part of [
    title,
    ...text.split("\n"),
    ...events.flatMap(({ hostname, service, message }) => [hostname, service, message]),
  ]) {
    expect(part).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(part.length).toBeLessThan(900);
  }
  expect(text.split("\n")).toHaveLength(3);
  expect(title.length).toBeLessThanOrEqual(200);
  expect(events[0]?.message.startsWith("line one 2026-01-05 all is well xxx")).toBe(true);
});
