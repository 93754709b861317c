/** The messages to chat services, compared with their public documentation. */
import { describe, expect, test } from "bun:test";
import { LINK, LONG, remoteOfEachTest } from "./http-kinds.ts";
import { channelOf, message, NOW } from "./support.ts";

const remote = remoteOfEachTest();

describe("slack", () => {
  test("shows title and text as plain text, and a link", async () => {
    const { path, json } = await remote.arrived("slack", {}, message({ title: "<!channel> & co" }));
    expect(path).toBe("/services/T0/B0/secretpart");
    expect(json).toEqual({
      text: [
        "&lt;!channel&gt; &amp; co",
        "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
        `<${LINK}|Open in Muster>`,
      ].join("\n\n"),
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

  test("defuses mentions and links of those who take the same webhooks and read Markdown", async () => {
    const hostile = message({ title: "@channel [click](http://evil)" });
    const { json } = await remote.arrived("slack", {}, hostile);
    expect(json.text).toStartWith("@\u200bchannel [click]\u200b(http://evil)\n\n");
  });

  test("keeps to the limits of blocks", async () => {
    const { json } = await remote.arrived("slack", {}, LONG);
    expect([json.blocks[0].text.text.length, json.blocks[1].text.text.length]).toEqual([150, 3000]);
    expect(json.blocks[1].text.text).toEndWith("...");
  });
});

describe("teams", () => {
  test("posts an adaptive card in a message", async () => {
    const { json } = await remote.arrived("teams", {}, message({ title: "[x](http://evil) *b*" }));
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
    const { body } = await remote.arrived(
      "teams",
      {},
      message({ title: "*\n".repeat(9000), text: "*€\n".repeat(9000) }),
    );
    expect(Buffer.byteLength(body)).toBeLessThan(28 * 1024);
  });

  test("knows a failure that comes with status 200", async () => {
    remote.receiver.answers(200, "Webhook message delivery failed with error: HTTP error 429");
    expect((await channelOf("teams", remote.settingsOf("teams")).send()).outcome).toBe("failed");
  });
});

describe("discord", () => {
  test("posts an embed that calls nobody, and waits for the answer", async () => {
    const { path, json } = await remote.arrived("discord", {}, message({ text: "@everyone [x](y)" }));
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
    const { json } = await remote.arrived(
      "discord",
      {},
      message({ title: "*".repeat(999), text: "*".repeat(9999) }),
    );
    expect(json.embeds[0].title.length).toBeLessThanOrEqual(256);
    expect(json.embeds[0].description.length).toBeLessThanOrEqual(4096);
  });

  test("is told in the body how long to wait", async () => {
    remote.receiver.answers(429, '{"message":"limited","retry_after":64.57,"global":false}');
    expect(await channelOf("discord", remote.settingsOf("discord")).send()).toMatchObject({
      outcome: "failed",
      retryAfter: 65,
    });
  });
});

describe("telegram", () => {
  test("sends plain text to the chat", async () => {
    const { path, json } = await remote.arrived("telegram", { thread: "7" });
    expect(path).toBe("/bot123456:ABC-def_1/sendMessage");
    expect(json).toEqual({
      chat_id: "-100123",
      text: `mysqld on db-1: connection refused\n\n2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases\n\n${LINK}`,
      link_preview_options: { is_disabled: true },
      message_thread_id: 7,
    });
  });

  test("keeps to 4096 characters, the link included", async () => {
    const { json } = await remote.arrived("telegram", {}, LONG);
    expect(json.text).toHaveLength(4096);
    expect(json.text).toEndWith(`...\n\n${LINK}`);
  });

  test("is told in the body how long to wait", async () => {
    remote.receiver.answers(429, '{"ok":false,"error_code":429,"parameters":{"retry_after":31}}');
    expect(await channelOf("telegram", remote.settingsOf("telegram")).send()).toMatchObject({
      retryAfter: 31,
    });
  });

  test("takes ids and names of chats, and tokens as they look", () => {
    const { kind, settings } = channelOf("telegram", remote.settingsOf("telegram"));
    expect(kind.check?.(settings)).toBeNull();
    expect(kind.check?.({ ...settings, chat: "@channel" })).toBeNull();
    expect(kind.check?.({ ...settings, token: "1/../x" })?.field).toBe("token");
    expect(kind.check?.({ ...settings, chat: "my chat" })?.field).toBe("chat");
    expect(kind.check?.({ ...settings, thread: "x" })?.field).toBe("thread");
  });
});

describe("matrix", () => {
  test("puts a message under the id of the message, so that it comes once", async () => {
    const { method, path, headers, json } = await remote.arrived("matrix");
    expect([method, path]).toEqual([
      "PUT",
      `/_matrix/client/v3/rooms/!abc%2Fd%3Aexample.org/send/m.room.message/${message().id}`,
    ]);
    expect(headers.authorization).toBe("Bearer syt_token");
    expect(json).toEqual({
      msgtype: "m.text",
      body: `mysqld on db-1: connection refused\n\n2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases\n\n${LINK}`,
      "m.mentions": {},
    });
  });

  test("is told in the body how long to wait", async () => {
    remote.receiver.answers(429, '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2500}');
    expect(await channelOf("matrix", remote.settingsOf("matrix")).send()).toMatchObject({ retryAfter: 3 });
  });
});
