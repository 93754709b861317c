/** Common to every kind of channel that sends over HTTP: the meaning of answers, long texts, links. */
import { describe, expect, test } from "bun:test";
import { HandTimers } from "../../support/hand-timers.ts";
import { HTTP_KINDS, LINK, LONG, remoteOfEachTest } from "./http-kinds.ts";
import { channelOf, message, testEgress } from "./support.ts";

const remote = remoteOfEachTest();

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
        remote.receiver.answers(status, `{"said":"${status}"}`, headers);
        const answer = await channelOf(kind, remote.settingsOf(kind)).send();
        const moved = status === 301 ? " (redirects are not followed)" : "";
        expect(answer).toEqual({
          outcome: outcome as never,
          detail: `${status}${moved} {"said":"${status}"}`,
          ...(retryAfter !== undefined && { retryAfter }),
        });
      }
      expect(remote.receiver.received).toHaveLength(ANSWERS.length);
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: a connection closed without an answer leaves it unknown whether it arrived`, async () => {
      remote.receiver.reply = (response) => response.destroy();
      const answer = await channelOf(kind, remote.settingsOf(kind)).send();
      expect([answer.outcome, remote.receiver.received.length]).toEqual(["unknown", 1]);
      expect(answer.detail).not.toMatch(/secretpart|ABC-def|syt_token|Atoken|apptoken|R0UT1NG/);
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: where nobody listens it has certainly not arrived, and may later`, async () => {
      const settings = remote.settingsOf(kind);
      await remote.stop();
      const answer = await channelOf(kind, settings).send();
      await remote.start();
      expect(answer.outcome).toBe("failed");
      expect(answer.detail).toContain("cannot be reached");
    });

  for (const kind of HTTP_KINDS)
    test(`${kind}: a text of any length arrives as one that is well-formed`, async () => {
      const { body } = await remote.arrived(kind, {}, LONG);
      expect(body).not.toContain("\ufffd");
      if (kind !== "webhook") expect(Buffer.byteLength(body)).toBeLessThan(60_000);
    });
});

/** A message with a link to acknowledge. */
const acknowledgeable = (acknowledgeUrl = "https://muster.example/acknowledge/AbC-_1") =>
  message({ acknowledgeUrl });

describe("a link to acknowledge", () => {
  const ADDRESS = acknowledgeable().acknowledgeUrl ?? "";
  const plain = (kind: string, body: string) => (kind === "pushover" ? decodeURIComponent(body) : body);

  test.each(HTTP_KINDS)("%s passes it on, once", async (kind) => {
    const { body } = await remote.arrived(kind, {}, acknowledgeable());
    // Slack shows either the text or the blocks.
    expect(plain(kind, body).split(ADDRESS)).toHaveLength(kind === "slack" ? 3 : 2);
  });

  test.each(HTTP_KINDS)("%s passes it on whole after a text of any length", async (kind) => {
    const { body, json } = await remote.arrived(kind, {}, { ...LONG, acknowledgeUrl: ADDRESS });
    expect(plain(kind, body)).toContain(ADDRESS);
    if (kind === "discord") expect(json.embeds[0].description.length).toBeLessThanOrEqual(4096);
    if (kind === "telegram") expect(json.text.length).toBeLessThanOrEqual(4096);
  });

  test("is a button where there are buttons", async () => {
    const sent = async (kind: string, url?: string) => {
      remote.receiver.received.length = 0;
      return (await remote.arrived(kind, {}, acknowledgeable(url))).json;
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
  const { body } = await remote.arrived(kind);
  expect(body.split(LINK)).toHaveLength(2);
});

test("an attempt at a remote that stalls ends, and it is unknown whether it arrived", async () => {
  const timers = new HandTimers();
  remote.receiver.reply = timers.end;
  const egress = testEgress({ timeLimit: 7000, startTimer: timers.start });
  const answer = await channelOf("ntfy", remote.settingsOf("ntfy"), egress).send();
  expect(answer).toEqual({ outcome: "unknown", detail: "127.0.0.1: there was no response within 7 seconds" });
});
