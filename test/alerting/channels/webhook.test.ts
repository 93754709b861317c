/** The request to an administrator's webhook. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { payloadOf, textsOf } from "../../../src/alerting/channels/kinds/template.ts";
import { blocksOf, textOf } from "../../docs/markdown.ts";
import { START } from "../../support/clock.ts";
import { LINK, remoteOfEachTest } from "./http-kinds.ts";
import { channelOf, event, message, NOW } from "./support.ts";

const PAGE = "docs/alerts.md";
const remote = remoteOfEachTest();

describe("webhook", () => {
  test("posts all of the message as JSON", async () => {
    const { method, path, headers, json } = await remote.arrived("webhook");
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

  test("has its fields and placeholders described in docs/alerts.md, with those of the first event", () => {
    const example = blocksOf(PAGE).find(({ text }) => text.includes('"acknowledgeurl"'))?.text ?? "{}";
    const { events, ...fields } = JSON.parse(example) as { events: object[] };
    const payload = payloadOf(message());
    expect(Object.keys({ ...fields, events }).sort()).toEqual(Object.keys(payload).sort());
    expect(Object.keys(events[0] ?? {}).sort()).toEqual(Object.keys(payload.events[0] ?? {}).sort());
    const described = [...textOf(PAGE).matchAll(/`\{\{([a-z]+)\}\}`/g)].map(([, name]) => name);
    const names = [...Object.keys(textsOf(message())), "date", "events"];
    expect([...new Set(described)].sort()).toEqual(names.sort());
  });

  test("signs the time of the attempt and the body", async () => {
    const { headers, body } = await remote.arrived("webhook", { secret: "shared" });
    const timestamp = String(headers["x-muster-timestamp"]);
    expect(timestamp).toBe(String(START));
    const wanted = createHmac("sha256", "shared").update(`${timestamp}.${body}`).digest("hex");
    expect(headers["x-muster-signature"]).toBe(`sha256=${wanted}`);
  });

  test("adds headers, the secret one too, but none of its own and none that splits the request", async () => {
    const headers = "X-Team: blue\n\nX-Colour:  red ";
    const { headers: got } = await remote.arrived("webhook", {
      headers,
      secretheader: "Authorization: Bearer abc",
    });
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
      // With work that grows with the square of the length this would take many minutes.
      `X:${" ".repeat(1_000_000)}ä`,
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
    const { json } = await remote.arrived("webhook", { template }, message(hostile));
    expect(json).toMatchObject({
      text: '"},{"x":"{{text}}: a\n\\"b\u0007',
      at: NOW,
      who: '"h/mysqld',
    });
    expect(json.all).toHaveLength(1);
  });

  // With work that grows with the cube of the length this would take hours.
  test("takes a template with many spaces after braces that are not closed", () => {
    const template = JSON.stringify({ text: `{{ title }} {{${" ".repeat(100_000)}{` });
    expect(channelOf("webhook", {}).kind.check?.({ template })).toBeNull();
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
