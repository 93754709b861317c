/** The messages to services that push to phones, compared with their public documentation. */
import { describe, expect, test } from "bun:test";
import { LINK, LONG, remoteOfEachTest } from "./http-kinds.ts";
import { message, NOW } from "./support.ts";

const remote = remoteOfEachTest();

describe("ntfy", () => {
  test("publishes JSON at the root of the server", async () => {
    const { path, headers, json } = await remote.arrived("ntfy", { token: "tk_1" });
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
    const { json, headers } = await remote.arrived("ntfy", { priority: "5" }, message({ kind: "recovery" }));
    expect([json.priority, json.tags, headers.authorization]).toEqual([
      3,
      ["white_check_mark"],
      undefined as never,
    ]);
  });

  test.each([['"'], ["\u0001"]])("keeps to what its server reads in a text of %j", async (character) => {
    const text = character.repeat(5000);
    const { body, json } = await remote.arrived("ntfy", {}, message({ text }));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8192);
    expect(json.message).toStartWith(text.slice(0, 600));
  });

  test("keeps to 4096 bytes", async () => {
    const { json } = await remote.arrived("ntfy", {}, LONG);
    expect(Buffer.byteLength(json.message)).toBeLessThanOrEqual(4096);
    expect(Buffer.byteLength(json.message)).toBeGreaterThan(4090);
  });
});

describe("gotify", () => {
  test("posts with the token in a header, also below a path", async () => {
    const { path, headers, json } = await remote.arrived("gotify");
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
    const { path, headers, body } = await remote.arrived("pushover", { device: "phone" });
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
    const emergency = new URLSearchParams((await remote.arrived("pushover", { priority: "2" })).body);
    expect([emergency.get("priority"), emergency.get("retry"), emergency.get("expire")]).toEqual([
      "2",
      "60",
      "3600",
    ]);
    remote.receiver.received.length = 0;
    const over = new URLSearchParams(
      (await remote.arrived("pushover", { priority: "2" }, message({ kind: "recovery" }))).body,
    );
    expect([over.get("priority"), over.get("retry")]).toEqual(["0", null]);
  });

  test("keeps to its limits", async () => {
    const form = new URLSearchParams((await remote.arrived("pushover", {}, LONG)).body);
    expect(form.get("title")).toHaveLength(250);
    expect(Buffer.byteLength(form.get("message") ?? "")).toBeLessThanOrEqual(1024);
  });
});
