/** The messages to services that relay notifications, compared with their public documentation. */
import { describe, expect, test } from "bun:test";
import type { ChannelSettings } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { LINK, LONG, LONG_TEXT, remoteOfEachTest } from "./http-kinds.ts";
import { channelOf, event, message, NOW } from "./support.ts";

const remote = remoteOfEachTest();

describe("pagerduty", () => {
  test("a failure opens an incident by its key", async () => {
    const { path, json } = await remote.arrived("pagerduty");
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
    const { json } = await remote.arrived("pagerduty", {}, message({ kind }));
    expect(json).toEqual({
      routing_key: "R0UT1NG",
      event_action: "resolve",
      dedup_key: "muster-17-1799999940",
    });
  });

  test("keeps to its limits, and tells of one event at a time", async () => {
    const { json } = await remote.arrived(
      "pagerduty",
      { severity: "critical" },
      { ...LONG, events: [event({ key: LONG_TEXT })] },
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
    const { path, headers, json } = await remote.arrived("apprise", {
      tag: "sms",
      user: "muster",
      password: "pw",
    });
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
    const { path, headers, json } = await remote.arrived(
      "apprise",
      { key: "", urls },
      message({ kind: "recovery" }),
    );
    expect([path, headers.authorization]).toEqual(["/apprise/notify", undefined]);
    expect([json.urls, json.type, json.tag]).toEqual([urls, "success", undefined]);
  });

  test("a server without recipients has not sent it, and one whose service failed may later", async () => {
    remote.receiver.answers(204);
    expect(await channelOf("apprise", remote.settingsOf("apprise")).send()).toEqual({
      outcome: "refused",
      detail: "204: the server has nothing to notify under this key or these URLs",
    });
    remote.receiver.answers(424, '{"error":"One or more notification could not be sent"}');
    expect((await channelOf("apprise", remote.settingsOf("apprise")).send()).outcome).toBe("failed");
  });

  test("needs a configuration or addresses, and not both", () => {
    const { kind, settings } = channelOf("apprise", remote.settingsOf("apprise"));
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
