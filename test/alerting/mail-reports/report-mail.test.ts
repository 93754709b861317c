import { describe, expect, test } from "bun:test";
import type { ReportFigures } from "../../../src/alerting/mail-reports/figures.schemas.ts";
import { composeReport, type ReportMail } from "../../../src/alerting/mail-reports/report-mail.ts";
import { noiseSentence } from "../../../src/alerting/mail-reports/sections.ts";
import { BUSY, DAY_FROM } from "./example-figures.ts";

const mailOf = (figures: Partial<ReportFigures> = {}, rest: Partial<ReportMail> = {}) =>
  composeReport({
    name: "Web",
    period: "daily",
    url: null,
    isToAddress: false,
    figures: { ...BUSY, ...figures },
    ...rest,
  });

const EMPTY: Partial<ReportFigures> = {
  failuretotalbefore: 0,
  messagesbefore: 0,
  total: { hosts: 0, uptime: null, uptimebefore: null, counted: 0, down: 0, budget: 0 },
  groups: [],
  worst: [],
  failures: [],
  failuretotal: 0,
  noise: [],
  messages: 0,
  forecasts: [],
};

describe("the mail of a report", () => {
  test("speaks of one host as one", () => {
    const { text } = mailOf({ total: { ...BUSY.total, hosts: 1 } });
    expect(text).toContain("25m 55s used, by 1 host.\n- All hosts (1 host): ");
  });

  test("has the figures in its text, section by section", () => {
    const { title, text } = mailOf({}, { url: "https://muster.example/reports/1" });
    expect(title).toBe("Web: uptime 99.652%, 2026-01-04");
    expect(text.split("\n\n")).toEqual([
      "Web\nDaily report, 2026-01-04 (UTC)",
      `Uptime, target 99.9%
--------------------
Error budget: 1h 30m (347%) of 25m 55s used, by 18 hosts together.
- All hosts (18 hosts): uptime 99.652% (previously 99.5%), down 1h 30m, budget left over by 1h 4m
- Databases (6 hosts, target 99%): uptime 98.958% (previously 99.5%), down 1h 30m, budget left over by 3m 36s
- Web servers (12 hosts): uptime 100% (previously 99.5%), down 0s, budget left 17m 16s`,
      `Worst hosts
-----------
- db-1.example: uptime 93.75% (previously 100%), down 1h 30m, failures 3
- web-7.example: uptime 100%, down 0s, failures 12`,
      `Most frequent failures
----------------------
16 failures in all.
Previous period: 9 failures.
- nginx on web-7.example (Connection): times 12 (previously 4), lasted 24m
- db-1.example (No report): times 1 (previously 0), lasted 1h 30m`,
      `Noise
-----
2 checks sent 92% of 26 messages; nobody acted on 1 of them.
Previous period: 31 messages.
- nginx on web-7.example (Connection): messages 22, share 81%, acted on no
- db-1.example (No report): messages 4, share 12%, acted on yes`,
      `Full within 30 days
-------------------
- data on db-1.example (space): usage 91%, full in 12 days
- root on web-7.example (inodes): usage 99%, full in less than a day`,
      `Possibly forgotten
------------------
1 acknowledgement, 2 ignored hosts for more than 30 days.
- data on db (acknowledged by ann: disk is ordered): since 2025-11-25
- old-web (ignored): since 2025-11-30`,
      "The figures cover the hosts in the report that you can see.",
    ]);
  });

  test("says 100% of a budget that is used up, or of a disk that is full, and of none that nearly is", () => {
    const [forecast] = BUSY.forecasts;
    if (!forecast) throw new Error("the example has a forecast");
    const textWith = (down: number, usage: number) =>
      mailOf({
        total: { ...BUSY.total, down, budget: 1000 },
        forecasts: [{ ...forecast, usage }],
      }).text;
    for (const [down, used, usage, shown] of [
      [996, "16m 36s (99%) of 16m 40s", 99.7, "99%"],
      [1000, "16m 40s (100%) of 16m 40s", 100, "100%"],
      [1004, "16m 44s (101%) of 16m 40s", 64.1, "64%"],
    ] as const) {
      expect(textWith(down, usage)).toContain(`Error budget: ${used} used`);
      expect(textWith(down, usage)).toContain(`usage ${shown}, full in`);
    }
  });

  test("says in words that nothing happened", () => {
    const { title, text } = mailOf(EMPTY);
    expect(title).toBe("Web: no time counted, 2026-01-04");
    for (const words of [
      "No time was counted for any host in this period.",
      "No host was down, and nothing failed.",
      "Nothing failed.",
      "No messages were sent.",
      "Nothing expected.",
    ])
      expect(text).toContain(words);
  });

  test("has its name once in the subject, also one that tells the period", () => {
    expect(mailOf({}, { name: "Daily report" }).title).toBe("Daily report: uptime 99.652%, 2026-01-04");
  });

  test("tells an address without an account that it is about all hosts in the report", () => {
    for (const [isToAddress, words] of [
      [true, "The figures cover all hosts in the report."],
      [false, "The figures cover the hosts in the report that you can see."],
    ] as const) {
      const { text, html } = mailOf({}, { isToAddress });
      expect(text).toEndWith(words);
      expect(html).toContain(`Sent by Muster. ${words}<`);
      expect((text + html).match(/The figures cover/g)).toHaveLength(2);
    }
  });

  test("has HTML of tables, with nothing that runs or is loaded from elsewhere", () => {
    const { html } = mailOf({}, { url: "https://muster.example/reports/1" });
    expect(html).toMatch(/^[\x20-\x7e\n]*$/);
    expect(html).not.toMatch(/<script|<img|<link|<form|@import|url\(|position:|display:/i);
    expect(html.match(/https?:[^"]*/g)).toEqual(["https://muster.example/reports/1"]);
    expect(html.match(/<h2/g)).toHaveLength(6);
    expect(html).toContain('style="color:#0969da"');
    expect(mailOf().html).not.toContain("http");
  });

  test("shows texts of agents as text, on one line and without characters that turn it around", () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\r\nSubject: x\u202e${"a".repeat(300)}`;
    const [worst] = BUSY.worst;
    const [failure] = BUSY.failures;
    if (!worst || !failure) throw new Error("the example has both");
    const { html, text, title } = mailOf(
      {
        worst: [{ ...worst, hostname: hostile }],
        failures: [{ ...failure, hostname: hostile, servicename: hostile, failure: hostile }],
      },
      { name: hostile },
    );
    expect(html).not.toMatch(/<img|onerror=alert\(1\)>/);
    expect(html).toContain("&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;");
    for (const part of [text, title, html]) expect(part).not.toMatch(/\r|\u202e|a{170}/);
    expect(title).not.toContain("\n");
    expect(text).not.toMatch(/^Subject/m);
  });
});

test("the sentence about noise counts what nobody acted on", () => {
  const [noisiest] = BUSY.noise;
  if (!noisiest) throw new Error("the example has noise");
  const noise = (acted: readonly boolean[]) =>
    acted.map((isActed) => ({ ...noisiest, acted: isActed, share: 80 / acted.length }));
  const sentence = (...acted: boolean[]) => noiseSentence({ messages: 100, noise: noise(acted) });
  expect(sentence(true, false, false, false, false)).toBe(
    "5 checks sent 80% of 100 messages; nobody acted on 4 of them.",
  );
  expect(sentence(true, true)).toBe("2 checks sent 80% of 100 messages.");
  expect(sentence(false, false)).toBe("2 checks sent 80% of 100 messages; nobody acted on any of them.");
  expect(sentence(false)).toBe("1 check sent 80% of 100 messages; nobody acted on it.");
  expect(noiseSentence({ messages: 0, noise: [] })).toBe("No messages were sent.");
  expect(DAY_FROM % 86_400).toBe(0);
});
