/** Links in messages: real mails from a real server, followed by clients, and by a real browser. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { launchBrowser } from "../../e2e/browser.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { needing } from "../../support/programs.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { MailServer } from "../channels/mail-server.ts";
import { Receiver } from "../channels/support.ts";
import { Alerting } from "../notifications/support.ts";

const BASE = "https://muster.example";
const MINUTE = 60;
const DAY = 86_400;
const [ANNA, BEN] = ["anna@example.org", "ben@example.org"];

let mail: MailServer;
let alerting: Alerting;
let app: TestApp;
let nobody: TestClient;

/** From here on the mail server turns one of the two recipients away for now. Call it before `begin`. */
async function turnAnnaAway(): Promise<void> {
  await mail[Symbol.asyncDispose]();
  mail = await MailServer.start({
    onRcptTo: ({ address }, _session, done) =>
      done(address === ANNA ? Object.assign(new Error("later"), { responseCode: 451 }) : null),
  });
}

/** A channel of mail to two people, and a rule with reminders and an escalation. */
async function begin(baseUrl?: string): Promise<void> {
  app = new TestApp(baseUrl === undefined ? {} : { baseUrl });
  nobody = app.client();
  alerting = await Alerting.create(app);
  alerting.dispatcher = app.muster.dispatcher;
  alerting.sender = app.muster.sender;
  const server = { host: "localhost", port: String(mail.port), from: "muster@example.org", security: "none" };
  const make = (name: string, to: string) =>
    alerting.call("admin/channels/create", { name, kind: "email", settings: { ...server, to } });
  await make("Mail", `${ANNA}\n${BEN}`);
  await make("Boss", "boss@example.org");
  await alerting.rule({ repeat: 10, flapcount: 0, ...escalating([1], 30, 2) });
  await alerting.report();
}

beforeEach(async () => {
  mail = await MailServer.start();
});
afterEach(() => mail[Symbol.asyncDispose]());

const fail = () => alerting.event({ message: "is gone" });
const recover = () => alerting.event({ message: "is back", state: 0 });
const subjectOf = (text: string) => /^Subject: (.*)\r$/m.exec(text)?.[1];
const mailed = () => mail.mails.map(({ to, text }) => `${to.join(",")}: ${subjectOf(text)}`);
const linkIn = (text: string) => /Acknowledge: (\S+)/.exec(text)?.[1] ?? null;
/** Path of the link in the n-th mail. */
function pathOf(index: number): string {
  return new URL(linkIn(mail.mails[index]?.text ?? "") ?? "none:").pathname;
}
const acknowledgements = () => app.rows("select uname, ended_at is null as open from acknowledgements");
const PROBLEM = "web on host-1: is gone";

async function failAndTell(): Promise<void> {
  await fail();
  await alerting.pass(5);
}

describe("a link in a mail", () => {
  beforeEach(() => begin(BASE));

  test("comes in a mail for each recipient, and acknowledges once by POST; then nobody is reminded", async () => {
    await failAndTell();
    expect(mailed()).toEqual([`${ANNA}: ${PROBLEM}`, `${BEN}: ${PROBLEM}`]);
    expect(linkIn(mail.mails[0]?.text ?? "")).toMatch(/^https:\/\/muster\.example\/acknowledge\/[\w-]{22}$/);
    expect(pathOf(0)).not.toBe(pathOf(1));

    const used = await nobody.post(pathOf(0), {});
    expect([used.status, used.text.includes("Acknowledged."), used.text.includes(PROBLEM)]).toEqual([
      200,
      true,
      true,
    ]);
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
    await alerting.pass(40 * MINUTE);
    expect(mail.mails).toHaveLength(2);

    const again = await nobody.post(pathOf(0), {});
    expect([again.status, again.text.includes("This link has been used")]).toEqual([410, true]);
    await recover();
    await alerting.pass(5);
    expect(mailed().slice(2)).toEqual([
      `${ANNA}: Recovered after 40m 5s: ${PROBLEM}`,
      `${BEN}: Recovered after 40m 5s: ${PROBLEM}`,
    ]);
    expect(mail.mails.slice(2).map(({ text }) => linkIn(text))).toEqual([null, null]);
  });

  test("changes nothing when a scanner follows it by GET or HEAD, and its page keeps the address private", async () => {
    await failAndTell();
    const before = stored(app);
    const shown = await nobody.get(pathOf(0));
    expect(shown.text.match(/<form method="post"><button/g)).toHaveLength(1);
    expect(shown.text).not.toContain("<script");
    const head = await app.app.request(pathOf(0), { method: "HEAD" });
    expect([shown.status, head.status, await head.text()]).toEqual([200, 200, ""]);
    for (const { headers } of [shown, head]) {
      const got = ["Referrer-Policy", "Cache-Control", "X-Robots-Tag", "Set-Cookie"].map((name) =>
        headers.get(name),
      );
      expect(got).toEqual(["no-referrer", "no-store", "noindex", null]);
    }
    expect((await app.app.request(pathOf(0), { method: "PUT" })).status).toBe(405);
    expect(changedTables(app, before)).toEqual([]);
    await alerting.pass(10 * MINUTE + 5);
    expect(mailed()).toContain(`${ANNA}: Ongoing for 10m 10s: ${PROBLEM}`);
  });

  test("is named in the audit log and in the notes, by its recipient and channel", async () => {
    await failAndTell();
    await nobody.post(pathOf(1), {});
    const { json } = await alerting.admin.get("/api/1/admin/audit/list?operation=problems");
    expect(json.records).toMatchObject([
      {
        uname: BEN,
        address: "192.0.2.10",
        via: "link",
        operation: "problems/acknowledge",
        subject: "event",
        details: { channel: "Mail" },
      },
    ]);
    const event = await alerting.admin.get(`/api/1/reports/events/get?id=${json.records[0].subjectid}`);
    expect(event.json.acknowledged).toMatchObject({ uname: BEN, until: null });
    expect(event.json.note).toMatchObject([
      { uname: BEN, message: 'Acknowledged with the link in a message of the channel "Mail"' },
    ]);
    const { json: list } = await alerting.admin.get("/api/1/admin/deliveries/list");
    expect(list.records.map((record: { recipient: string }) => record.recipient)).toEqual([BEN, ANNA]);
  });

  test("ends with the failure, and a new one is not acknowledged by it", async () => {
    await failAndTell();
    await recover();
    await alerting.pass(5);
    const over = await nobody.post(pathOf(0), {});
    expect([over.status, over.text.includes("the problem is resolved")]).toEqual([410, true]);
    await failAndTell();
    expect((await nobody.post(pathOf(0), {})).status).toBe(410);
    expect(acknowledgements()).toEqual([]);
  });

  test("does not acknowledge another failure that began before the end of its own could be told", async () => {
    await failAndTell();
    await alerting.call("mutes/create", { filter: { hosts: [1] }, minutes: 20 });
    await recover();
    await alerting.pass(MINUTE);
    await alerting.event({ message: "is gone anew" });
    const over = await nobody.post(pathOf(0), {});
    expect([over.status, over.text.includes("the problem is resolved")]).toEqual([410, true]);
    await alerting.pass(20 * MINUTE);
    expect((await nobody.post(pathOf(1), {})).status).toBe(410);
    expect(acknowledgements()).toEqual([]);
    // Each of the two got the problem, its end, and the new problem, whose link is for that.
    const [, , , , last] = mailed();
    expect([mail.mails.length, last]).toEqual([6, `${ANNA}: web on host-1: is gone anew`]);
    expect((await nobody.post(pathOf(4), {})).status).toBe(200);
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
  });

  test("of a check that flaps acknowledges the failure that was open then, and no later one", async () => {
    await alerting.call("admin/rules/update", { id: 1, flapcount: 2, repeat: 0 });
    await failAndTell();
    await recover();
    await alerting.pass(5);
    await failAndTell();
    const flapping = mail.mails.length - 1;
    expect(mailed().at(-1)).toBe(`${BEN}: Flapping: ${PROBLEM}`);
    expect((await nobody.get(pathOf(flapping))).status).toBe(200);
    await recover();
    await alerting.pass(5);
    await fail();
    expect((await nobody.post(pathOf(flapping), {})).status).toBe(410);
    expect(acknowledgements()).toEqual([]);
  });

  test.each([
    ["disabled", () => alerting.call("admin/rules/update", { id: 1, enabled: false })],
    ["deleted", () => alerting.call("admin/rules/delete", { id: 1 })],
  ])("acknowledges a failure that lasts, though the rule of its message was %s", async (_, end) => {
    await failAndTell();
    await end();
    await alerting.pass(15 * MINUTE);
    expect((await nobody.post(pathOf(0), {})).status).toBe(200);
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
    await recover();
    await alerting.pass(MINUTE);
    await failAndTell();
    expect((await nobody.post(pathOf(1), {})).status).toBe(410);
  });

  test("still acknowledges a failure that its agent reported again", async () => {
    await failAndTell();
    app.clock.step(1);
    await fail();
    expect((await nobody.post(pathOf(0), {})).status).toBe(200);
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
    expect(app.rows("select active from events join acknowledgements a on a.event_id = events.id")).toEqual([
      { active: 1 },
    ]);
  });

  test("still acknowledges a failure that continues after a recovery of a few seconds", async () => {
    await failAndTell();
    await recover();
    app.clock.step(4);
    await fail();
    expect((await nobody.post(pathOf(0), {})).status).toBe(200);
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
    await alerting.pass(40 * MINUTE);
    expect(mail.mails).toHaveLength(2);
  });

  test("ends after a day, and is gone with its message", async () => {
    await failAndTell();
    const path = pathOf(0);
    app.clock.step(DAY - 1);
    expect((await nobody.get(path)).status).toBe(200);
    app.clock.step(1);
    const late = await nobody.post(path, {});
    expect([late.status, late.text.includes("older than a day")]).toEqual([410, true]);
    app.db.$client.run("delete from deliveries");
    expect((await nobody.post(path, {})).status).toBe(404);
    expect(app.rows("select * from acknowledge_links")).toEqual([]);
    expect(acknowledgements()).toEqual([]);
  });

  test("is stored as a hash only, and the answer of a remote does not show it", async () => {
    await using far = await Receiver.start();
    far.reply = (response, { body }) => response.writeHead(500).end(body);
    await alerting.call("admin/channels/create", {
      name: "Hook",
      kind: "webhook",
      settings: { url: far.url },
    });
    await alerting.call("admin/rules/create", { name: "other", ...notifying(3), flapcount: 0 });
    await failAndTell();
    const [token = ""] = pathOf(0).split("/").slice(-1);
    const hookToken = new URL(far.received[0]?.json.acknowledgeurl).pathname.split("/").at(-1) ?? "";
    const everything = JSON.stringify([...stored(app)]);
    expect([token.length, everything.includes(token), everything.includes(hookToken)]).toEqual([
      22,
      false,
      false,
    ]);
    expect(
      app.rows<{ answer: string }>("select answer from deliveries where answer like '500%'"),
    ).toHaveLength(1);
  });

  test("that does not exist is unknown, and a client that tries many of them is refused for a while", async () => {
    await failAndTell();
    const guesser = app.client("198.51.100.7");
    const unknown = await guesser.post("/acknowledge/AAAAAAAAAAAAAAAAAAAAAA", {});
    expect([unknown.status, unknown.text.includes("There is no such link")]).toEqual([404, true]);
    for (let i = 0; i < 20; i++) await guesser.get(`/acknowledge/${i}`);
    expect((await guesser.post(pathOf(0), {})).status).toBe(429);
    expect(acknowledgements()).toEqual([]);
    expect((await nobody.get(pathOf(0))).status).toBe(200);
    app.clock.step(2 * MINUTE);
    expect((await guesser.post(pathOf(0), {})).status).toBe(200);
  });

  test("shows texts of agents as texts", async () => {
    await alerting.event({ message: '<img src=x onerror="alert(1)">\u202e' });
    await alerting.pass(5);
    const { text } = await nobody.get(pathOf(0));
    expect(text).toContain("&#60;img src=x");
    expect(text).not.toMatch(/<img|8238/);
  });

  test("covers all failures of its message, and no other", async () => {
    await alerting.event({ message: "is gone" });
    await alerting.event({ service: "db", message: "is gone" });
    await alerting.pass(5);
    await alerting.event({ service: "late", message: "is gone" });
    await nobody.post(pathOf(0), {});
    expect(app.rows("select count(*) as n from acknowledgements")).toEqual([{ n: 2 }]);
  });
});

test("a recipient whose mails fail does not delay those of others, and a removed one gets none", async () => {
  await turnAnnaAway();
  await begin(BASE);
  await failAndTell();
  await recover();
  await alerting.pass(5);
  expect(mailed()).toEqual([`${BEN}: ${PROBLEM}`, `${BEN}: Recovered after 5s: ${PROBLEM}`]);
  await alerting.call("admin/channels/update", { id: 1, settings: { to: BEN } });
  await alerting.pass(MINUTE);
  expect(app.rows(`select distinct status, answer from deliveries where recipient = '${ANNA}'`)).toEqual([
    { status: "failed", answer: "the channel no longer has this recipient" },
  ]);
  // That nothing was sent says nothing of the channel.
  expect(app.rows("select failures, last_outcome from channels where name = 'Mail'")).toEqual([
    { failures: 0, last_outcome: "sent" },
  ]);
});

test("the mails that wait for a recipient go to the address that takes the place of its own", async () => {
  await turnAnnaAway();
  await begin(BASE);
  await failAndTell();
  app.db.$client.run(
    `insert into deliveries (channel_id, rule_name, channel_name, recipient, kind, created_at, status, next_at)
     values (1, 'Fleet', 'Mail', '${ANNA}', 'report', ${START}, 'pending', ${START + DAY})`,
  );
  await alerting.call("admin/channels/update", { id: 1, settings: { to: `ann@example.org\n${BEN}` } });
  await alerting.pass(1);
  expect(mailed()).toEqual([`${BEN}: ${PROBLEM}`, `ann@example.org: ${PROBLEM}`]);
  expect(app.rows("select recipient from deliveries where kind = 'report'")).toEqual([{ recipient: ANNA }]);
});

test("a recipient who is turned away for now keeps no reminder from the others, and holds up no channel", async () => {
  await turnAnnaAway();
  await begin(BASE);
  await failAndTell();
  await alerting.pass(11 * MINUTE);
  expect(mailed()).toEqual([
    `${BEN}: ${PROBLEM}`,
    expect.stringMatching(new RegExp(`^${BEN}: .*: ${PROBLEM}$`)),
  ]);
  expect(app.rows("select held_until from channels where name = 'Mail'")).toEqual([{ held_until: null }]);
});

test("without a public address there are no links", async () => {
  await begin();
  await failAndTell();
  expect(mailed()).toEqual([`${ANNA}: ${PROBLEM}`, `${BEN}: ${PROBLEM}`]);
  expect([linkIn(mail.mails[0]?.text ?? ""), app.rows("select * from acknowledge_links")]).toEqual([
    null,
    [],
  ]);
});

needing("chromium").test(
  "in a browser, the link of a mail leads to a page with one button, which acknowledges",
  async () => {
    await begin();
    const server = createAdaptorServer({ fetch: app.app.fetch, overrideGlobalObjects: false }) as Server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseurl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await alerting.call("admin/settings/update", { baseurl });
    await failAndTell();
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const trouble: string[] = [];
      page.on("console", (message) => trouble.push(message.text()));
      await page.goto(linkIn(mail.mails[0]?.text ?? "") ?? "");
      expect(await page.getByRole("listitem").allTextContents()).toEqual([PROBLEM]);
      expect(acknowledgements()).toEqual([]);
      await page.getByRole("button").click();
      await page.getByText("Acknowledged.").waitFor();
      expect([await page.context().cookies(), trouble]).toEqual([[], []]);
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
    expect(acknowledgements()).toEqual([{ uname: ANNA, open: 1 }]);
    await alerting.pass(40 * MINUTE);
    expect(mailed()).toEqual([`${ANNA}: ${PROBLEM}`, `${BEN}: ${PROBLEM}`]);
    const { json } = await (await app.admin()).get("/api/1/admin/audit/list?operation=problems");
    expect(json.records).toMatchObject([
      { uname: ANNA, via: "link", date: START + 5, details: { channel: "Mail" } },
    ]);
  },
);
