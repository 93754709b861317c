/** Reports by mail: real mails from a real server. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Reply } from "../../support/client.ts";
import { isOnPostgres } from "../../support/database.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { DAY, HOUR, partsOf, Reporting } from "./support.ts";

let reporting: Reporting;
beforeEach(async () => {
  reporting = await Reporting.create();
});
afterEach(() => reporting[Symbol.asyncDispose]());

function expectRefused(reply: Reply, status: number, words: string): void {
  expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(words)]);
}

const ANNA = "anna@example.org";

describe("a report", () => {
  // The clock starts at 12:00 on Monday 2026-01-05.
  test("goes to each recipient in a mail of their own at its hour, as text and as HTML", async () => {
    await reporting.user("ben");
    await reporting.report({ users: ["anna", "ben"], addresses: ["chief@example.org"] });
    await reporting.fail(1, "nginx");
    await reporting.pass(19 * HOUR - 600);
    expect(reporting.mail.mails).toEqual([]);
    await reporting.pass(600);
    expect(reporting.mail.mails.map(({ to }) => to)).toEqual([
      [ANNA],
      ["ben@example.org"],
      ["chief@example.org"],
    ]);
    const { text: raw } = reporting.mail.mails[0] ?? { text: "" };
    const { subject, text, html } = partsOf(raw);
    expect(subject).toBe("Fleet: uptime 100%, 2026-01-05");
    expect(raw).toContain("Content-Type: multipart/alternative");
    expect(text).toContain("Daily report, 2026-01-05 (UTC)");
    expect(text).toContain("- nginx on web-host (Nonexist): times 1, lasted 12h");
    expect(text).toContain("https://muster.example/mail-reports/1?before=1767657600");
    expect(html).toContain("nginx on web-host");
    expect(raw).not.toContain("ben@example.org");
    expect(text).toContain("cover the hosts in the report that you can see");
    // Without an account, nobody can open the page.
    const chief = partsOf(reporting.mail.mails[2]?.text ?? "");
    expect(chief.text).toContain("cover all hosts in the report");
    expect(chief.text + chief.html).not.toContain("https://muster.example");
    expect(reporting.answers()).toEqual(Array(3).fill("sent: 250 queued as 4711"));
  });

  test("shows each recipient the hosts that they see, and totals of these alone", async () => {
    await reporting.user("ben", { view: 1 });
    await reporting.report({ users: ["anna", "ben"], addresses: ["chief@example.org"] });
    await reporting.fail(1, "nginx");
    await reporting.fail(2, "mysqld");
    await reporting.pass(19 * HOUR);
    const [anna, ben, chief] = reporting.mail.mails.map(({ text }) => partsOf(text));
    expect(ben?.text).toMatch(/- All hosts \(1 host\)[\s\S]*- web \(1 host\)[\s\S]*\n1 failure in all/);
    expect((ben?.text ?? "") + ben?.html).not.toMatch(/db|mysqld|2 hosts|2 failures/);
    for (const mails of [anna, chief])
      expect(mails?.text).toMatch(/- All hosts \(2 hosts\)[\s\S]*\n2 failures in all/);
  });

  test("follows levels that change before it is sent, and is not sent to those who see none of its hosts", async () => {
    await reporting.user("ben", { view: 1 });
    await reporting.report({ users: ["ben"], hostgroups: [1] });
    await reporting.call("admin/grants/set", { uname: "ben", restricted: true, view: 2 });
    await reporting.pass(19 * HOUR);
    expect(reporting.mail.mails).toEqual([]);
    expect(reporting.answers()).toEqual([
      "failed: its recipient sees none of the hosts that the report is about",
    ]);
    expect(reporting.app.rows("select failures, last_at from channels")).toEqual([
      { failures: 0, last_at: null },
    ]);
  });

  test("is given up for recipients and reports that are gone", async () => {
    await reporting.user("ben");
    await reporting.user("cleo");
    reporting.hostsAreKnownFor(DAY);
    const id = await reporting.report({ users: ["anna", "ben", "cleo"], addresses: ["chief@example.org"] });
    await reporting.call("admin/mailreports/send", { id });
    await reporting.call("admin/users/delete", { uname: "anna" });
    reporting.app.db.$client.run("update users set email = 'new@example.org' where uname = 'ben'");
    await reporting.call("admin/mailreports/update", { id, addresses: [] });
    await reporting.work();
    expect(reporting.answers()).toEqual([
      "failed: the report or its recipient was deleted",
      "failed: the report no longer goes to this address",
      "sent: 250 queued as 4711",
      "failed: the report no longer goes to this address",
    ]);
    await reporting.call("admin/mailreports/send", { id });
    await reporting.call("admin/mailreports/delete", { id });
    await reporting.work();
    expect(reporting.taken()).toEqual(["cleo@example.org: 2026-01-04"]);
    expect(reporting.answers().slice(4)).toEqual(
      Array(2).fill("failed: the report or its recipient was deleted"),
    );
  });

  test("goes through the outbox: a server that is away gets it later, once, and alerts come first", async () => {
    const rule = { name: "all", ...notifying(1), recovery: false };
    await reporting.call("admin/rules/create", rule);
    const id = await reporting.report();
    reporting.hostsAreKnownFor(DAY);
    const { app } = reporting;
    await reporting.call("admin/channels/update", { id: 1, settings: { port: "1" } });
    await reporting.call("admin/mailreports/send", { id });
    app.muster.sender.step();
    await app.muster.sender.idle();
    app.muster.sender.step();
    expect(reporting.answers()[0]).toStartWith("pending: ");
    await reporting.call("admin/channels/update", { id: 1, settings: { port: String(reporting.mail.port) } });
    await reporting.fail(1, "nginx");
    app.clock.step(HOUR);
    while (app.muster.dispatcher.step());
    await reporting.pass(HOUR);
    expect(reporting.mail.mails.map(({ text }) => partsOf(text).subject)).toEqual([
      "nginx on web-host: is gone",
      "Fleet: uptime 100%, 2026-01-04",
    ]);
    expect(reporting.mail.mails[1]?.text).toMatch(/^X-Muster-Kind: report\r$/m);
  });
});

describe("a period is reported once", () => {
  test("across restarts, stalls, absences and a clock that is set back: a ledger", async () => {
    await reporting.report();
    const steps: [reason: string, act: () => Promise<void>, arrives: string[]][] = [
      ["not when it is made", () => reporting.pass(HOUR), []],
      ["at 7:00", () => reporting.pass(18 * HOUR), [`${ANNA}: 2026-01-05`]],
      ["not again after a restart", () => reporting.restart(), []],
      ["nor by a node that takes over", () => reporting.pass(HOUR), []],
      ["the next day", () => reporting.pass(23 * HOUR), [`${ANNA}: 2026-01-06`]],
      ["once after five days of absence", () => reporting.absent(5 * DAY), [`${ANNA}: 2026-01-11`]],
      ["at its time again", () => reporting.pass(DAY), [`${ANNA}: 2026-01-12`]],
      ["late if it was off at 7:00", () => reporting.absent(26 * HOUR), [`${ANNA}: 2026-01-13`]],
      ["not again where the clock is set back", () => reporting.absent(-3 * HOUR), []],
      ["until the day is over", () => reporting.pass(3 * HOUR), []],
      ["as before", () => reporting.pass(DAY), [`${ANNA}: 2026-01-14`]],
    ];
    for (const [reason, act, arrives] of steps) {
      await act();
      expect([reason, ...reporting.taken()]).toEqual([reason, ...arrives]);
    }
  });

  // The trigger is written for SQLite.
  if (!isOnPostgres())
    test("in full or not at all: the mails of a period and that it is done are one transaction", async () => {
      await reporting.user("ben");
      await reporting.report({ users: ["anna", "ben"] });
      reporting.app.clock.step(DAY);
      const { db } = reporting.app;
      db.$client.run(
        `create trigger broken before update of last_day on mail_reports begin select raise(abort, 'broken'); end`,
      );
      const before = stored(reporting.app);
      expect(() => reporting.reportSender.step()).toThrow("broken");
      expect(changedTables(reporting.app, before)).toEqual([]);
      db.$client.run("drop trigger broken");
      await reporting.work();
      expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-05`, "ben@example.org: 2026-01-05"]);
    });

  test("on Mondays and on the first of the month, by the reports' time zone", async () => {
    await reporting.call("admin/settings/update", { timezone: "Europe/Berlin" });
    await reporting.report({ name: "Week", period: "weekly", hour: 0 });
    await reporting.report({ name: "Month", period: "monthly", hour: 0 });
    const sent: string[] = [];
    for (let hour = 0; hour < 28 * 24; hour++) {
      reporting.app.clock.step(HOUR);
      await reporting.work();
      const at = new Date(reporting.app.clock.now() * 1000).toISOString().slice(0, 16);
      sent.push(...reporting.taken().map((mail) => `${at} ${mail}`));
    }
    expect(sent).toEqual([
      `2026-01-11T23:00 ${ANNA}: 2026-01-05 to 2026-01-11`,
      `2026-01-18T23:00 ${ANNA}: 2026-01-12 to 2026-01-18`,
      `2026-01-25T23:00 ${ANNA}: 2026-01-19 to 2026-01-25`,
      `2026-01-31T23:00 ${ANNA}: 2026-01-01 to 2026-01-31`,
      `2026-02-01T23:00 ${ANNA}: 2026-01-26 to 2026-02-01`,
    ]);
  });

  test("not for a change of its schedule, nor for the time in which it was disabled", async () => {
    const id = await reporting.report();
    const update = (fields: Record<string, string | number | boolean>) =>
      reporting.call("admin/mailreports/update", { id, ...fields });
    await reporting.pass(19 * HOUR);
    expect(reporting.taken()).toHaveLength(1);
    await update({ hour: 9 });
    await reporting.pass(3 * HOUR);
    await update({ period: "weekly", hour: 3 });
    await reporting.work();
    await update({ period: "daily", hour: 9, enabled: false });
    await reporting.pass(3 * DAY);
    await update({ enabled: true });
    await reporting.work();
    expect(reporting.taken()).toEqual([]);
    await reporting.pass(DAY);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-09`]);
  });

  test("when it is over, also after a clock that was a day ahead for a moment", async () => {
    await reporting.report();
    await reporting.pass(20 * HOUR);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-05`]);
    await reporting.absent(DAY);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-06`]);
    await reporting.absent(-DAY);
    await reporting.pass(22 * HOUR);
    expect(reporting.taken()).toEqual([]);
    await reporting.pass(HOUR);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-06`]);
    await reporting.pass(DAY);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-07`]);
  });

  test("also after a clock that was years ahead for a moment", async () => {
    await reporting.report();
    await reporting.absent(1000 * DAY);
    expect(reporting.taken()).toHaveLength(1);
    await reporting.absent(-999 * DAY);
    expect(reporting.taken()).toEqual([]);
    await reporting.pass(DAY);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-06`]);
  });
});

describe("the button", () => {
  test("sends the newest period that is over, as often as it is pressed, and changes no schedule", async () => {
    const id = await reporting.report({ period: "weekly" });
    reporting.hostsAreKnownFor(14 * DAY);
    const before = reporting.app.rows("select * from mail_reports");
    const reply = await reporting.call("admin/mailreports/send", { id });
    expect(reply).toEqual({ deliveries: 1, datefrom: 1_766_966_400, dateto: 1_767_571_200 });
    await reporting.work();
    await reporting.call("admin/mailreports/send", { id });
    await reporting.work();
    expect(reporting.taken()).toEqual(Array(2).fill(`${ANNA}: 2025-12-29 to 2026-01-04`));
    expect(reporting.app.rows("select * from mail_reports")).toEqual(before);
    const { records } = await reporting.get("/api/1/admin/deliveries/list");
    expect(records[0]).toMatchObject({ kind: "report", rule: "Fleet", ruleid: null, recipient: ANNA });
    const audit = await reporting.get("/api/1/admin/audit/list?operation=admin/mailreports");
    expect(audit.records[0]).toMatchObject({
      operation: "admin/mailreports/send",
      subject: "mailreport",
      subjectname: "Fleet",
      details: { deliveries: 1 },
    });
  });

  test("sends nothing about a period in which nothing was counted, and says why", async () => {
    const id = await reporting.report({ addresses: ["chief@example.org"] });
    await reporting.call("admin/mailreports/send", { id });
    await reporting.work();
    expect(reporting.mail.mails).toEqual([]);
    const failed = "failed: no time of its hosts was counted in the period";
    expect(reporting.answers()).toEqual([failed, failed]);
    // The next one is about a day in which the hosts were known.
    await reporting.pass(19 * HOUR);
    expect(reporting.taken()).toEqual([`${ANNA}: 2026-01-05`, "chief@example.org: 2026-01-05"]);
  });

  test("says so if nobody has a mail address", async () => {
    const id = await reporting.report({ users: ["user"] });
    const before = stored(reporting.app);
    expectRefused(await reporting.post("admin/mailreports/send", { id }), 400, "None of its recipients");
    expect(changedTables(reporting.app, before)).toEqual([]);
    const json = await reporting.get("/api/1/admin/mailreports/get", { id });
    expect(json.unreachable).toEqual(["user"]);
  });
});

describe("the definition of a report", () => {
  test("keeps what an update leaves out, and says when it is sent next", async () => {
    const fields = {
      period: "monthly",
      hour: 6,
      hostgroups: [2, 1],
      target: 99.95,
      addresses: ["a@example.org"],
    };
    const id = await reporting.report(fields);
    await reporting.call("admin/mailreports/update", { id, name: "Months" });
    expect(await reporting.get("/api/1/admin/mailreports/get", { id })).toEqual({
      id,
      name: "Months",
      enabled: true,
      period: "monthly",
      hour: 6,
      everything: false,
      hostgroups: [2, 1],
      target: 99.95,
      channel: 1,
      users: ["anna"],
      unreachable: [],
      addresses: ["a@example.org"],
      next: 1_769_925_600,
    });
    await reporting.call("admin/mailreports/update", {
      id,
      everything: true,
      hostgroups: [],
      enabled: false,
    });
    const json = await reporting.get("/api/1/admin/mailreports/list");
    expect(json.records[0]).toMatchObject({ everything: true, hostgroups: [], next: null });
  });

  test("names what is wrong, and stores nothing then", async () => {
    await reporting.call("admin/channels/create", {
      name: "Hook",
      kind: "webhook",
      settings: { url: "https://hook.example/" },
    });
    const good = { name: "x", everything: true, channel: 1, users: ["anna"] };
    const before = stored(reporting.app);
    for (const [fields, words] of [
      [{ ...good, channel: 2 }, "channel must be the id of a channel of the kind email"],
      [{ ...good, channel: 9 }, "channel must be the id of a channel; there is no channel 9"],
      [{ ...good, everything: false }, "hostgroups is required"],
      [{ ...good, hostgroups: [1] }, "hostgroups must be empty"],
      [{ ...good, everything: false, hostgroups: [1, 9] }, "hostgroups[1] must be the id of a host group"],
      [{ ...good, users: ["anna", "nobody"] }, "users[1] must be the login name of a user"],
      [{ ...good, users: [] }, "users is required"],
      [{ ...good, addresses: ["Anna <anna@example.org>"] }, "addresses[0] must be an e-mail address"],
    ] as const)
      expectRefused(await reporting.post("admin/mailreports/create", fields), 400, words);
    expect(changedTables(reporting.app, before)).toEqual([]);
  });

  test("is not pulled away by the deletion of its channel, and of its last group it keeps none", async () => {
    const id = await reporting.report({ hostgroups: [1] });
    const reply = await reporting.post("admin/channels/delete", { id: 1 });
    expectRefused(reply, 409, '"Mail" is used by the report "Fleet"');
    await reporting.call("admin/groups/delete", { id: 1 });
    const report = await reporting.get("/api/1/admin/mailreports/get", { id });
    expect(report).toMatchObject({ everything: false, hostgroups: [] });
    expect(await reporting.call("admin/mailreports/update", report)).toEqual({});
    const { mailReports } = reporting.app.muster;
    expect(mailReports.contents(false)).toEqual([]);
    await reporting.pass(19 * HOUR);
    expect(reporting.mail.mails).toEqual([]);
  });
});

describe("the page of a report", () => {
  test("is for those who get it, with the hosts that they see; to others there is no such report", async () => {
    await reporting.user("ben", { view: 1 });
    await reporting.user("cleo");
    const id = await reporting.report({ users: ["ben"] });
    await reporting.fail(1, "nginx");
    await reporting.fail(2, "mysqld");
    reporting.app.clock.step(DAY);
    const [ben, cleo] = [
      await reporting.app.signedIn("ben", "ben password"),
      await reporting.app.signedIn("cleo", "cleo password"),
    ];
    const path = `/api/1/reports/mail/get?id=${id}`;
    const { json } = await ben.get(path);
    expect(json).toMatchObject({ id, name: "Fleet", period: "daily", figures: { failuretotal: 1 } });
    expect(JSON.stringify(json)).not.toMatch(/db-host|mysqld/);
    expect((await reporting.get(path)).figures.failuretotal).toBe(2);
    const earlier = await ben.get(`${path}&before=${json.figures.dateto - 1}`);
    expect(earlier.json.figures.dateto).toBe(json.figures.datefrom);
    expectRefused(await cleo.get(path), 404, `There is no report ${id}`);
    expect((await cleo.get("/api/1/reports/mail/list")).json).toEqual({ totalRecords: 0, records: [] });
    expect((await ben.get("/api/1/reports/mail/list")).json.records).toEqual([
      { id, name: "Fleet", period: "daily" },
    ]);
  });
});
