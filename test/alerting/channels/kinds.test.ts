/** What each service is sent, held against its public documentation; and what its answers mean. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { ChannelSettings } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { START } from "../../support/clock.ts";
import { channelOf, event, message, NOW, Receiver, testEgress } from "./support.ts";

let far: Receiver;
beforeEach(async () => {
  far = await Receiver.start();
});
afterEach(() => far[Symbol.asyncDispose]());

const LONG = "ä€😀x".repeat(5000);
const long = message({ title: LONG, text: LONG });
const LINK = "https://muster.example/events/17";

/** Settings with which each kind of HTTP reaches the receiver. */
function settingsOf(kind: string): ChannelSettings {
  const { url } = far;
  const all: Record<string, ChannelSettings> = {
    webhook: { url: `${url}/hook?a=1` },
    slack: { url: `${url}/services/T0/B0/secretpart` },
    teams: { url: `${url}/workflows/1/triggers/manual/run?sig=secretpart` },
    discord: { url: `${url}/api/webhooks/1/secretpart` },
    telegram: { url, token: "123456:ABC-def_1", chat: "-100123" },
    matrix: { url: `${url}/`, token: "syt_token", room: "!abc/d:example.org" },
    ntfy: { url, topic: "alerts" },
    gotify: { url: `${url}/gotify/`, token: "Atoken" },
    pushover: { url, token: "apptoken", user: "userkey" },
    pagerduty: { url, routingkey: "R0UT1NG" },
    apprise: { url: `${url}/apprise/`, key: "oncall" },
  };
  const settings = all[kind];
  if (!settings) throw new Error(`no settings for ${kind}`);
  return settings;
}

const HTTP_KINDS = [
  "webhook",
  "slack",
  "teams",
  "discord",
  "telegram",
  "matrix",
  "ntfy",
  "gotify",
  "pushover",
  "pagerduty",
  "apprise",
];

/** Sends through a kind and gives what arrived. */
async function arrived(kind: string, more: ChannelSettings = {}, sent = message()) {
  const answer = await channelOf(kind, { ...settingsOf(kind), ...more }).send(sent);
  expect(answer).toEqual({ outcome: "sent", detail: "200 ok" });
  return far.only;
}

describe("every kind over HTTP", () => {
  const ANSWERS: readonly [
    status: number,
    headers: Record<string, string>,
    outcome: string,
    retryAfter?: number,
  ][] = [
    [200, {}, "sent"],
    [202, {}, "sent"],
    [301, { Location: "http://127.0.0.1:1/" }, "refused"],
    [400, {}, "refused"],
    [401, {}, "refused"],
    [404, {}, "refused"],
    [408, {}, "failed"],
    [410, {}, "refused"],
    [429, { "Retry-After": "17" }, "failed", 17],
    [500, {}, "failed"],
    [
      503,
      { Date: "Thu, 01 Jan 2026 00:00:00 GMT", "Retry-After": "Thu, 01 Jan 2026 00:01:30 GMT" },
      "failed",
      90,
    ],
  ];
  for (const kind of HTTP_KINDS)
    test(`${kind}: what an answer means follows from its status, and is told word for word`, async () => {
      for (const [status, headers, outcome, retryAfter] of ANSWERS) {
        far.answers(status, `{"said":"${status}"}`, headers);
        const answer = await channelOf(kind, settingsOf(kind)).send();
        const moved = status === 301 ? " (redirects are not followed)" : "";
        expect(answer).toEqual({
          outcome: outcome as never,
          detail: `${status}${moved} {"said":"${status}"}`,
          ...(retryAfter !== undefined && { retryAfter }),
        });
      }
      expect(far.received).toHaveLength(ANSWERS.length);
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: a connection closed without an answer leaves it unknown whether it arrived`, async () => {
      far.reply = (response) => response.destroy();
      const answer = await channelOf(kind, settingsOf(kind)).send();
      expect([answer.outcome, far.received.length]).toEqual(["unknown", 1]);
      expect(answer.detail).not.toMatch(/secretpart|ABC-def|syt_token|Atoken|apptoken|R0UT1NG/);
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: where nobody listens it has certainly not arrived, and may later`, async () => {
      const settings = settingsOf(kind);
      await far[Symbol.asyncDispose]();
      const answer = await channelOf(kind, settings).send();
      far = await Receiver.start();
      expect(answer.outcome).toBe("failed");
      expect(answer.detail).toContain("cannot be reached");
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: a text of any length arrives as one that is well-formed`, async () => {
      const { body } = await arrived(kind, {}, long);
      expect(body).not.toContain("\ufffd");
      if (kind !== "webhook") expect(Buffer.byteLength(body)).toBeLessThan(60_000);
    });
});

describe("webhook", () => {
  test("posts all of the message as JSON", async () => {
    const { method, path, headers, json } = await arrived("webhook");
    expect([method, path, headers["content-type"]]).toEqual(["POST", "/hook?a=1", "application/json"]);
    expect(headers["user-agent"]).toMatch(/^Muster\/\d/);
    expect(headers["x-muster-id"]).toBe(message().id);
    expect(headers["x-muster-signature"]).toBeUndefined();
    expect(json).toEqual({
      id: message().id,
      kind: "problem",
      rule: "Databases",
      title: "mysqld on db-1: connection refused",
      text: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
      url: LINK,
      acknowledgeurl: null,
      date: NOW,
      events: [
        {
          id: 17,
          host: "db-1",
          hostid: 3,
          service: "mysqld",
          type: "Connection",
          state: "error",
          message: "connection refused",
          date: NOW - 60,
          key: "muster-17-1799999940",
        },
      ],
    });
  });

  test("signs the time of the attempt and the body", async () => {
    const { headers, body } = await arrived("webhook", { secret: "shared" });
    const timestamp = String(headers["x-muster-timestamp"]);
    expect(timestamp).toBe(String(START));
    const wanted = createHmac("sha256", "shared").update(`${timestamp}.${body}`).digest("hex");
    expect(headers["x-muster-signature"]).toBe(`sha256=${wanted}`);
  });

  test("adds headers, the secret one too, but none of its own and none that splits the request", async () => {
    const headers = "X-Team: blue\n\nX-Colour:  red ";
    const { headers: got } = await arrived("webhook", { headers, secretheader: "Authorization: Bearer abc" });
    expect([got["x-team"], got["x-colour"], got.authorization]).toEqual(["blue", "red", "Bearer abc"]);
    const { kind } = channelOf("webhook", {});
    for (const wrong of [
      "Host: x",
      "content-length: 1",
      "no header",
      "X-Muster-Id: 1",
      "A b: c",
      "X: ä",
      "X: a\u010ab",
    ])
      expect([wrong, kind.check?.({ headers: wrong })?.field]).toEqual([wrong, "headers"]);
    expect(kind.check?.({ secretheader: "none" })?.field).toBe("secretheader");
  });

  test("fills in a template, whatever stands in the values", async () => {
    const template =
      '{"text":"{{ title }}: {{text}}","at":{{date}},"all":{{events}},"who":"{{host}}/{{service}}"}';
    const hostile = {
      title: '"},{"x":"{{text}}',
      text: 'a\n\\"b\u0007',
      events: [event({ hostname: '"h' })],
    };
    expect(channelOf("webhook", {}).kind.check?.({ template })).toBeNull();
    const { json } = await arrived("webhook", { template }, message(hostile));
    expect(json).toMatchObject({
      text: '"},{"x":"{{text}}: a\n\\"b\u0007',
      at: NOW,
      who: '"h/mysqld',
    });
    expect(json.all).toHaveLength(1);
  });

  const WRONG: readonly [template: string, why: RegExp][] = [
    ['{"text":{{title}}}', /JSON/],
    ['{"text":"{{events}}"}', /JSON/],
    ["{", /JSON/],
    ['{"text":"{{titel}}"}', /free of \{\{titel\}\}/],
    ['{"text":"{{constructor}}"}', /free of/],
  ];
  for (const [template, why] of WRONG)
    test(`refuses the template ${template}`, () => {
      const fault = channelOf("webhook", {}).kind.check?.({ template });
      expect([fault?.field, fault?.allowed]).toEqual(["template", expect.stringMatching(why) as never]);
    });
});

describe("slack", () => {
  test("shows title and text as plain text, and a link", async () => {
    const { path, json } = await arrived("slack", {}, message({ title: "<!channel> & co" }));
    expect(path).toBe("/services/T0/B0/secretpart");
    expect(json).toEqual({
      text: "&lt;!channel&gt; &amp; co",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "<!channel> & co", emoji: false } },
        {
          type: "section",
          text: {
            type: "plain_text",
            text: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
            emoji: false,
          },
        },
        { type: "section", text: { type: "mrkdwn", text: `<${LINK}|Open in Muster>` } },
      ],
    });
  });

  test("keeps to the limits of blocks", async () => {
    const { json } = await arrived("slack", {}, long);
    expect([json.blocks[0].text.text.length, json.blocks[1].text.text.length]).toEqual([150, 3000]);
    expect(json.blocks[1].text.text).toEndWith("...");
  });
});

describe("teams", () => {
  test("posts an adaptive card in a message", async () => {
    const { json } = await arrived("teams", {}, message({ title: "[x](http://evil) *b*" }));
    expect(Object.keys(json)).toEqual(["type", "attachments"]);
    const [{ contentType, content }] = json.attachments;
    expect([json.type, contentType]).toEqual(["message", "application/vnd.microsoft.card.adaptive"]);
    expect(content).toMatchObject({
      type: "AdaptiveCard",
      version: "1.4",
      body: [
        { type: "TextBlock", text: "\\[x\\]\\(http://evil\\) \\*b\\*", color: "attention", wrap: true },
        {
          type: "TextBlock",
          text: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused \\(Connection\\)\n\n\n\nRule: Databases",
          wrap: true,
        },
      ],
      actions: [{ type: "Action.OpenUrl", url: LINK }],
    });
  });

  test("stays below 28 KB", async () => {
    const { body } = await arrived(
      "teams",
      {},
      message({ title: "*\n".repeat(9000), text: "*€\n".repeat(9000) }),
    );
    expect(Buffer.byteLength(body)).toBeLessThan(28 * 1024);
  });

  test("knows a failure that comes with status 200", async () => {
    far.answers(200, "Webhook message delivery failed with error: HTTP error 429");
    expect((await channelOf("teams", settingsOf("teams")).send()).outcome).toBe("failed");
  });
});

describe("discord", () => {
  test("posts an embed that calls nobody, and waits for the answer", async () => {
    const { path, json } = await arrived("discord", {}, message({ text: "@everyone [x](y)" }));
    expect(path).toBe("/api/webhooks/1/secretpart?wait=true");
    expect(json).toEqual({
      username: "Muster",
      embeds: [
        {
          title: "mysqld on db\\-1: connection refused",
          description: "\\@everyone \\[x\\]\\(y\\)",
          color: 0xd32f2f,
          timestamp: new Date(NOW * 1000).toISOString(),
          url: LINK,
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  test("keeps to the limits of embeds even if every character is escaped", async () => {
    const { json } = await arrived(
      "discord",
      {},
      message({ title: "*".repeat(999), text: "*".repeat(9999) }),
    );
    expect(json.embeds[0].title.length).toBeLessThanOrEqual(256);
    expect(json.embeds[0].description.length).toBeLessThanOrEqual(4096);
  });

  test("is told in the body how long to wait", async () => {
    far.answers(429, '{"message":"limited","retry_after":64.57,"global":false}');
    expect(await channelOf("discord", settingsOf("discord")).send()).toMatchObject({
      outcome: "failed",
      retryAfter: 65,
    });
  });
});

describe("telegram", () => {
  test("sends plain text to the chat", async () => {
    const { path, json } = await arrived("telegram", { thread: "7" });
    expect(path).toBe("/bot123456:ABC-def_1/sendMessage");
    expect(json).toEqual({
      chat_id: "-100123",
      text: `mysqld on db-1: connection refused\n\n2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases\n\n${LINK}`,
      link_preview_options: { is_disabled: true },
      message_thread_id: 7,
    });
  });

  test("keeps to 4096 characters, the link included", async () => {
    const { json } = await arrived("telegram", {}, long);
    expect(json.text).toHaveLength(4096);
    expect(json.text).toEndWith(`...\n\n${LINK}`);
  });

  test("is told in the body how long to wait", async () => {
    far.answers(429, '{"ok":false,"error_code":429,"parameters":{"retry_after":31}}');
    expect(await channelOf("telegram", settingsOf("telegram")).send()).toMatchObject({ retryAfter: 31 });
  });

  test("takes ids and names of chats, and tokens as they look", () => {
    const { kind, settings } = channelOf("telegram", settingsOf("telegram"));
    expect(kind.check?.(settings)).toBeNull();
    expect(kind.check?.({ ...settings, chat: "@channel" })).toBeNull();
    expect(kind.check?.({ ...settings, token: "1/../x" })?.field).toBe("token");
    expect(kind.check?.({ ...settings, chat: "my chat" })?.field).toBe("chat");
    expect(kind.check?.({ ...settings, thread: "x" })?.field).toBe("thread");
  });
});

describe("matrix", () => {
  test("puts a message under the id of the message, so that it comes once", async () => {
    const { method, path, headers, json } = await arrived("matrix");
    expect([method, path]).toEqual([
      "PUT",
      `/_matrix/client/v3/rooms/!abc%2Fd%3Aexample.org/send/m.room.message/${message().id}`,
    ]);
    expect(headers.authorization).toBe("Bearer syt_token");
    expect(json).toEqual({
      msgtype: "m.text",
      body: `mysqld on db-1: connection refused\n\n2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases\n\n${LINK}`,
    });
  });

  test("is told in the body how long to wait", async () => {
    far.answers(429, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}');
    expect(await channelOf("matrix", settingsOf("matrix")).send()).toMatchObject({ retryAfter: 3 });
  });
});

describe("ntfy", () => {
  test("publishes JSON at the root of the server", async () => {
    const { path, headers, json } = await arrived("ntfy", { token: "tk_1" });
    expect([path, headers.authorization]).toEqual(["/", "Bearer tk_1"]);
    expect(json).toEqual({
      topic: "alerts",
      title: "mysqld on db-1: connection refused",
      message: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
      priority: 4,
      tags: ["rotating_light"],
      click: LINK,
    });
  });

  test("is quieter about recoveries", async () => {
    const { json, headers } = await arrived("ntfy", { priority: "5" }, message({ kind: "recovery" }));
    expect([json.priority, json.tags, headers.authorization]).toEqual([
      3,
      ["white_check_mark"],
      undefined as never,
    ]);
  });

  test("keeps to 4096 bytes", async () => {
    const { json } = await arrived("ntfy", {}, long);
    expect(Buffer.byteLength(json.message)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(json.message)).toBeGreaterThan(4090);
  });
});

describe("gotify", () => {
  test("posts with the token in a header, also below a path", async () => {
    const { path, headers, json } = await arrived("gotify");
    expect([path, headers["x-gotify-key"]]).toEqual(["/gotify/message", "Atoken"]);
    expect(json).toEqual({
      title: "mysqld on db-1: connection refused",
      message: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
      priority: 8,
      extras: {
        "client::display": { contentType: "text/plain" },
        "client::notification": { click: { url: LINK } },
      },
    });
  });
});

describe("pushover", () => {
  test("posts a form", async () => {
    const { path, headers, body } = await arrived("pushover", { device: "phone" });
    expect([path, headers["content-type"]]).toEqual([
      "/1/messages.json",
      "application/x-www-form-urlencoded",
    ]);
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      token: "apptoken",
      user: "userkey",
      title: "mysqld on db-1: connection refused",
      message: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
      priority: "1",
      timestamp: String(NOW),
      device: "phone",
      url: LINK,
      url_title: "Open in Muster",
    });
  });

  test("an emergency says how often to repeat it, a recovery is none", async () => {
    const emergency = new URLSearchParams((await arrived("pushover", { priority: "2" })).body);
    expect([emergency.get("priority"), emergency.get("retry"), emergency.get("expire")]).toEqual([
      "2",
      "60",
      "3600",
    ]);
    far.received.length = 0;
    const over = new URLSearchParams(
      (await arrived("pushover", { priority: "2" }, message({ kind: "recovery" }))).body,
    );
    expect([over.get("priority"), over.get("retry")]).toEqual(["0", null]);
  });

  test("keeps to its limits", async () => {
    const form = new URLSearchParams((await arrived("pushover", {}, long)).body);
    expect(form.get("title")).toHaveLength(250);
    expect(Buffer.byteLength(form.get("message") ?? "")).toBeLessThanOrEqual(1024);
  });
});

/** A message with a link to acknowledge. */
const acknowledgeable = (acknowledgeUrl = "https://muster.example/acknowledge/AbC-_1") =>
  message({ acknowledgeUrl });

describe("a link to acknowledge", () => {
  const ADDRESS = acknowledgeable().acknowledgeUrl ?? "";
  const plain = (kind: string, body: string) => (kind === "pushover" ? decodeURIComponent(body) : body);

  test.each(HTTP_KINDS)("%s passes it on, once", async (kind) => {
    const { body } = await arrived(kind, {}, acknowledgeable());
    expect(plain(kind, body).split(ADDRESS)).toHaveLength(2);
  });

  test.each(HTTP_KINDS)("%s passes it on whole after a text of any length", async (kind) => {
    const { body, json } = await arrived(kind, {}, { ...long, acknowledgeUrl: ADDRESS });
    expect(plain(kind, body)).toContain(ADDRESS);
    if (kind === "discord") expect(json.embeds[0].description.length).toBeLessThanOrEqual(4096);
    if (kind === "telegram") expect(json.text.length).toBeLessThanOrEqual(4096);
  });

  test("is a button where there are buttons", async () => {
    const sent = async (kind: string, url?: string) => {
      far.received.length = 0;
      return (await arrived(kind, {}, acknowledgeable(url))).json;
    };
    expect((await sent("ntfy")).actions).toEqual([
      { action: "http", label: "Acknowledge", url: ADDRESS, method: "POST", clear: true },
    ]);
    const card = (await sent("teams")).attachments[0].content;
    expect(card.actions[1]).toEqual({ type: "Action.OpenUrl", title: "Acknowledge", url: ADDRESS });
    const { text } = (await sent("slack")).blocks[2].text;
    expect(text).toBe(`<${LINK}|Open in Muster>  <${ADDRESS}|Acknowledge>`);
    const keyboard = (await sent("telegram")).reply_markup;
    expect(keyboard).toEqual({ inline_keyboard: [[{ text: "Acknowledge", url: ADDRESS }]] });
    const local = await sent("telegram", "http://muster:8080/acknowledge/x");
    expect(local.reply_markup).toBeUndefined();
    expect(local.text).toEndWith("Acknowledge: http://muster:8080/acknowledge/x");
  });
});

test.each(["telegram", "matrix"])("%s has the link once", async (kind) => {
  const { body } = await arrived(kind);
  expect(body.split(LINK)).toHaveLength(2);
});

describe("pagerduty", () => {
  test("a failure opens an incident by its key", async () => {
    const { path, json } = await arrived("pagerduty");
    expect(path).toBe("/v2/enqueue");
    expect(json).toEqual({
      routing_key: "R0UT1NG",
      event_action: "trigger",
      dedup_key: "muster-17-1799999940",
      payload: {
        summary: "mysqld on db-1: connection refused",
        source: "db-1",
        severity: "error",
        timestamp: new Date((NOW - 60) * 1000).toISOString(),
        component: "mysqld",
        class: "Connection",
        custom_details: {
          rule: "Databases",
          text: "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
        },
      },
      client: "Muster",
      client_url: LINK,
      links: [{ href: LINK, text: "Open in Muster" }],
    });
  });

  test.each(["recovery", "steady"] as const)("%s closes it", async (kind) => {
    const { json } = await arrived("pagerduty", {}, message({ kind }));
    expect(json).toEqual({
      routing_key: "R0UT1NG",
      event_action: "resolve",
      dedup_key: "muster-17-1799999940",
    });
  });

  test("keeps to its limits, and tells of one event at a time", async () => {
    const { json } = await arrived(
      "pagerduty",
      { severity: "critical" },
      { ...long, events: [event({ key: LONG })] },
    );
    expect([json.payload.summary.length, json.dedup_key.length, json.payload.severity]).toEqual([
      1024,
      255,
      "critical",
    ]);
    expect(channelOf("pagerduty", {}).kind.grouped).toBe(false);
  });
});

describe("apprise", () => {
  test("posts to a configuration that the server keeps, to some of its tags", async () => {
    const { path, headers, json } = await arrived("apprise", { tag: "sms", user: "muster", password: "pw" });
    expect([path, headers.authorization]).toEqual(["/apprise/notify/oncall", `Basic ${btoa("muster:pw")}`]);
    expect(json).toEqual({
      title: "mysqld on db-1: connection refused",
      body: `2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases\n\n${LINK}`,
      type: "failure",
      format: "text",
      tag: "sms",
    });
  });

  test("sends the addresses along where the server keeps none", async () => {
    const urls = "signal://127.0.0.1/+4712345678, json://127.0.0.1";
    const { path, headers, json } = await arrived(
      "apprise",
      { key: "", urls },
      message({ kind: "recovery" }),
    );
    expect([path, headers.authorization]).toEqual(["/apprise/notify", undefined]);
    expect([json.urls, json.type, json.tag]).toEqual([urls, "success", undefined]);
  });

  test("a server that has nobody to notify has not sent it, and one whose service failed may later", async () => {
    far.answers(204);
    expect(await channelOf("apprise", settingsOf("apprise")).send()).toEqual({
      outcome: "refused",
      detail: "204: the server has nothing to notify under this key or these URLs",
    });
    far.answers(424, '{"error":"One or more notification could not be sent"}');
    expect((await channelOf("apprise", settingsOf("apprise")).send()).outcome).toBe("failed");
  });

  test("needs a configuration or addresses, and not both", () => {
    const { kind, settings } = channelOf("apprise", settingsOf("apprise"));
    const field = (more: ChannelSettings) => kind.check?.({ ...settings, ...more })?.field;
    expect(field({})).toBeUndefined();
    expect(field({ key: "" })).toBe("key");
    expect(field({ urls: "json://x" })).toBe("key");
    expect(field({ key: "../x" })).toBe("key");
    expect(field({ key: "", urls: "12345" })).toBe("urls");
    expect(field({ key: "", urls: "json://x", tag: "a" })).toBe("tag");
    expect(field({ user: "a:b" })).toBe("user");
    expect(field({ password: "b" })).toBe("user");
  });
});

test("an attempt at a remote that stalls ends, and it is unknown whether it arrived", async () => {
  far.reply = () => undefined;
  const answer = await channelOf("ntfy", settingsOf("ntfy"), testEgress({ timeLimit: 1000 })).send();
  expect(answer).toEqual({ outcome: "unknown", detail: "127.0.0.1: nothing came within 1 seconds" });
});
