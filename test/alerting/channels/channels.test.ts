/** Channels as administrators see them. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS } from "../../../src/alerting/channels/kinds/kinds.ts";
import { sqliteClient } from "../../../src/platform/storage/open.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { message, Receiver } from "./support.ts";

const SLACK = "https://hooks.slack.com/services/T000/B000/SlackPathSecret";
const WEBHOOK = {
  name: "hook",
  kind: "webhook",
  settings: {
    url: "https://hooks.example/x",
    secret: "SigningSecret1",
    secretheader: "Authorization: Bearer HeaderSecret1",
  },
};
/** The webhook with other settings. */
const hookWith = (changed: object) => ({ ...WEBHOOK, settings: { ...WEBHOOK.settings, ...changed } });

async function world(options = {}) {
  const app = new TestApp(options);
  const admin = await app.admin();
  const post = (verb: string, fields: Fields) => admin.post(`/api/1/admin/channels/${verb}`, fields);
  const get = (verb: string, fields: Fields = {}) => admin.get(`/api/1/admin/channels/${verb}`, fields);
  const rows = () => app.rows("select id, name, kind, enabled, created_at from channels order by id");
  return { app, admin, post, get, rows };
}

/** Everything that was ever written to disk. */
function stored(app: TestApp): string {
  return Buffer.from(sqliteClient(app.db).serialize()).toString("latin1") + app.logged.join("\n");
}

describe("kinds", () => {
  test("are all listed with their fields; programs are not available unless they were allowed", async () => {
    const { get } = await world();
    const { status, json } = await get("kinds");
    expect(status).toBe(200);
    const records: { kind: string; grouped: boolean; available: boolean; fields: { type: string }[] }[] =
      json.records;
    expect(records.map(({ kind }) => kind)).toEqual(KINDS.map(({ kind }) => kind));
    expect(records.filter(({ available }) => !available).map(({ kind }) => kind)).toEqual(["exec"]);
    expect(records.filter(({ grouped }) => !grouped).map(({ kind }) => kind)).toEqual(["pagerduty"]);
    expect(json.records.find(({ kind }: { kind: string }) => kind === "ntfy").fields[0]).toEqual({
      name: "url",
      label: "Server",
      type: "url",
      required: true,
      initial: "https://ntfy.sh",
      choices: [],
      shared: false,
      doc: "address of the ntfy server",
    });
    const allowed = await (await world({ egress: { exec: true } })).get("kinds");
    expect(allowed.json.records.at(-1)).toMatchObject({ kind: "exec", available: true });
  });

  test("are described in docs/alerts.md, with every setting", () => {
    const rows = readFileSync(join(import.meta.dir, "../../../docs/alerts.md"), "utf8").split("\n");
    for (const { kind, fields } of KINDS) {
      const row = rows.find((line) => line.startsWith(`| \`${kind}\` |`)) ?? "";
      for (const { name, type } of fields)
        expect([kind, row]).toEqual([
          kind,
          expect.stringContaining(type === "secret" ? `**\`${name}\`**` : `\`${name}\``),
        ]);
    }
  });

  test("hold to what forms and documents rely on", () => {
    for (const { kind, fields } of KINDS) {
      const names = fields.map(({ name }) => name);
      expect([kind, new Set(names).size]).toEqual([kind, names.length]);
      for (const { name, doc, label, type, choices, initial } of fields) {
        expect([kind, name, /^[a-z]+$/.test(name), doc !== "", label !== ""]).toEqual([
          kind,
          name,
          true,
          true,
          true,
        ]);
        expect([kind, name, type === "choice"]).toEqual([kind, name, choices !== undefined]);
        if (choices) expect(choices).toContain(initial as string);
      }
    }
  });
});

describe("making one", () => {
  test("stores its settings sealed, the others at their initial values, and gives none of its secrets back", async () => {
    const { app, post, get, rows } = await world();
    const made = await post("create", hookWith({ headers: "X-A: 1\r\nX-B: 2" }));
    expect([made.status, made.json]).toEqual([200, { id: 1 }]);
    expect(rows()).toEqual([
      { id: 1, name: "hook", kind: "webhook", enabled: 1, created_at: app.clock.now() },
    ]);
    const shown = {
      id: 1,
      name: "hook",
      kind: "webhook",
      enabled: true,
      settings: {
        url: "https://hooks.example/x",
        template: "",
        headers: "X-A: 1\nX-B: 2",
      },
      secrets: ["secret", "secretheader"],
      rules: [],
      failures: 0,
      lastat: null,
      lastoutcome: null,
      lastanswer: "",
    };
    expect((await get("get", { id: 1 })).json).toEqual(shown);
    expect((await get("list")).json).toEqual({ totalRecords: 1, records: [shown] });
    expect(stored(app)).not.toMatch(/SigningSecret1|HeaderSecret1/);
    const [row] = app.rows<{ settings: string }>("select settings from channels");
    expect(JSON.parse(app.box.open(row?.settings ?? ""))).toMatchObject({ secret: "SigningSecret1" });
  });

  test("an address that is a key to itself is a secret", async () => {
    const { app, post, get } = await world();
    await post("create", { name: "s", kind: "slack", settings: { url: SLACK } });
    expect((await get("get", { id: 1 })).json).toMatchObject({ settings: {}, secrets: ["url"] });
    expect(stored(app)).not.toContain("SlackPathSecret");
  });

  const WRONG: readonly [fields: Fields, status: number, message: string][] = [
    [{ name: "x", kind: "pigeon" }, 400, "kind must be one of email, webhook"],
    [
      { name: "x", kind: "exec", settings: { program: "/bin/true" } },
      400,
      "kind must be one that is available",
    ],
    [{ name: "x", kind: "webhook" }, 400, "settings.url is required: where the message is posted to"],
    [{ name: "x", kind: "webhook", settings: { url: "ftp://x/" } }, 400, "settings.url must be an address"],
    [
      { name: "x", kind: "webhook", settings: { url: "https://u:p@x/" } },
      400,
      "settings.url must be an address",
    ],
    [{ name: "x", kind: "webhook", settings: { url: "https://x/\n" } }, 400, "settings.url must be"],
    [hookWith({ topic: "a" }), 400, "settings.topic must be left out"],
    [hookWith({ secret: "a\nb" }), 400, "settings.secret must be a text without control characters"],
    [hookWith({ template: "{" }), 400, "settings.template must be JSON"],
    [hookWith({ headers: "x".repeat(8193) }), 400, "settings.headers must be a text of at most 8192"],
    [{ name: "x", kind: "slack", settings: { url: "nonsense" } }, 400, "settings.url must be an address"],
    [
      { name: "x", kind: "ntfy", settings: { topic: "t", priority: "9" } },
      400,
      "settings.priority must be one of",
    ],
    [{ name: "x", kind: "email", settings: { host: "h", from: "a@b" } }, 400, "settings.to is required"],
  ];
  for (const [fields, status, said] of WRONG)
    test(`is refused: ${said}`, async () => {
      const { post, rows } = await world();
      await post("create", { ...WEBHOOK, name: "taken" });
      const before = rows();
      const reply = await post("create", fields);
      expect([reply.status, reply.json.error]).toEqual([status, expect.stringContaining(said)]);
      expect(rows()).toEqual(before);
    });
});

describe("changing one", () => {
  test("keeps what is absent", async () => {
    const { post, get } = await world();
    await post("create", hookWith({ headers: "X-A: 1" }));
    const change = { id: 1, name: "renamed", enabled: false, settings: { headers: "" } };
    expect((await post("update", change)).json).toEqual({});
    expect((await get("get", { id: 1 })).json).toMatchObject({
      name: "renamed",
      enabled: false,
      settings: { url: "https://hooks.example/x", headers: "" },
      secrets: ["secret", "secretheader"],
    });
  });

  test("does not remove a secret that was set after the channel was read", async () => {
    const { post, get } = await world();
    await post("create", { name: "n", kind: "ntfy", settings: { topic: "t" } });
    const { settings } = (await get("get", { id: 1 })).json;
    await post("update", { id: 1, settings: { token: "SetLater1" } });
    await post("update", { id: 1, settings: { ...settings, topic: "other" } });
    expect((await get("get", { id: 1 })).json.secrets).toEqual(["token"]);
  });

  test("replaces secrets, and takes away those that are empty", async () => {
    const { app, post } = await world();
    await post("create", WEBHOOK);
    await post("update", { id: 1, settings: { secret: "Another2", secretheader: "" } });
    const [row] = app.rows<{ settings: string }>("select settings from channels");
    expect(JSON.parse(app.box.open(row?.settings ?? ""))).toMatchObject({
      secret: "Another2",
      secretheader: "",
    });
  });

  test("is refused where the result would be wrong, and then changes nothing", async () => {
    const { app, post } = await world();
    await post("create", WEBHOOK);
    await post("create", { name: "s", kind: "slack", settings: { url: SLACK } });
    const before = app.rows("select * from channels");
    for (const [fields, status] of [
      [{ id: 1, kind: "slack" }, 400],
      [{ id: 1, settings: { url: "" } }, 400],
      [{ id: 2, settings: { url: "" } }, 400],
      [{ id: 1, settings: { nonsense: "x" } }, 400],
      [{ id: 2, settings: { topic: "x" } }, 400],
    ] as const)
      expect([fields, (await post("update", fields)).status]).toEqual([fields, status]);
    expect(app.rows("select * from channels")).toEqual(before);
  });

  test("a channel that a rule uses is not deleted, and the error names the rule", async () => {
    const { app, post, get, rows } = await world();
    await post("create", WEBHOOK);
    app.db.$client.run("insert into rules (id, name, position) values (5, 'Night', 2), (6, 'Day', 1)");
    app.db.$client.run(
      "insert into rule_channels (rule_id, step, channel_id) values (5, 0, 1), (5, 1, 1), (6, 0, 1)",
    );
    expect((await get("get", { id: 1 })).json.rules).toEqual([6, 5]);
    const refused = await post("delete", { id: 1 });
    expect([refused.status, refused.json]).toEqual([
      409,
      { error: '"hook" is used by the rule "Day", the rule "Night"', code: "channel.used" },
    ]);
    expect(rows()).toHaveLength(1);
    app.db.$client.run("delete from rules");
    expect([(await post("delete", { id: 1 })).status, (await post("delete", { id: 1 })).status]).toEqual([
      200, 404,
    ]);
    expect(rows()).toEqual([]);
  });
});

describe("testing one", () => {
  test("sends a message, and tells exactly what was answered, but for secrets", async () => {
    await using far = await Receiver.start();
    const { app, post } = await world({ baseUrl: "https://muster.example" });
    await post("create", hookWith({ url: `${far.url}/in` }));
    far.answers(401, 'no: "Bearer HeaderSecret1" is wrong, and so is SigningSecret1\u0007');
    const reply = await post("test", { id: 1 });
    expect([reply.status, reply.json]).toEqual([
      200,
      { outcome: "refused", detail: '401 no: "Bearer ***" is wrong, and so is ***', duration: 0 },
    ]);
    expect(far.only.headers.authorization).toBe("Bearer HeaderSecret1");
    expect(far.only.json).toMatchObject({
      kind: "test",
      title: "Test message from Muster",
      url: "https://muster.example/",
    });
    expect(stored(app)).not.toMatch(/SigningSecret1|HeaderSecret1/);
  });

  test("by one that is only being set up, or as one would be after a change; nothing is stored", async () => {
    await using far = await Receiver.start();
    const { app, post } = await world();
    const draft = {
      name: "n",
      kind: "ntfy",
      settings: { url: far.url, topic: "t", token: "DraftToken1" },
    };
    expect((await post("test", { channel: draft })).json).toMatchObject({
      outcome: "sent",
      detail: "200 ok",
    });
    expect(far.only.headers.authorization).toBe("Bearer DraftToken1");
    expect(app.rows("select * from channels")).toEqual([]);

    await post("create", draft);
    const before = app.rows("select * from channels");
    far.received.length = 0;
    const { token: _, ...open } = draft.settings;
    const changed = { ...draft, settings: { ...open, topic: "other" } };
    await post("test", { id: 1, channel: changed });
    expect([far.only.json.topic, far.only.headers.authorization]).toEqual(["other", "Bearer DraftToken1"]);
    expect(app.rows("select * from channels")).toEqual(before);
    expect(stored(app)).not.toContain("DraftToken1");
  });

  test("is refused without anything to test, or with wrong settings", async () => {
    const { post } = await world();
    for (const [fields, status] of [
      [{}, 400],
      [{ id: 1 }, 404],
      [{ channel: { name: "x", kind: "exec", settings: { program: "/bin/true" } } }, 400],
      [{ channel: { name: "x", kind: "ntfy", settings: { topic: "a b" } } }, 400],
    ] as const)
      expect([fields, (await post("test", fields)).status]).toEqual([fields, status]);
  });

  test("of an address that is not allowed says why", async () => {
    const { post } = await world({ egress: { reach: "public" } });
    const refused = async (url: string) =>
      (await post("test", { channel: { name: "x", kind: "webhook", settings: { url } } })).json as {
        outcome: string;
        detail: string;
      };
    expect(await refused("http://169.254.169.254/latest/meta-data/")).toMatchObject({
      outcome: "refused",
      detail: "169.254.169.254 is an address that channels never use",
    });
    expect((await refused("http://192.168.1.1/")).detail).toContain("--channel-reach public");
    expect((await refused("http://[::1]:8080/metrics")).detail).toContain("this machine");
  });
});

describe("for those who send", () => {
  test("a channel is found by its id, with its abilities", async () => {
    await using far = await Receiver.start();
    const { app, post } = await world();
    const { channels } = app.muster;
    await post("create", { ...hookWith({ url: far.url }), enabled: false });
    await post("create", { name: "pd", kind: "pagerduty", settings: { routingkey: "RoutingKey1" } });
    expect(channels.sendable(3)).toBeNull();
    expect(channels.sendable(1)).toMatchObject({ id: 1, name: "hook", enabled: false, grouped: true });
    expect(channels.sendable(2)).toMatchObject({ id: 2, name: "pd", enabled: true, grouped: false });
    far.answers(503, "wait HeaderSecret1", { "Retry-After": "9999999" });
    const answer = await channels.sendable(1)?.send(message());
    expect(answer).toEqual({ outcome: "failed", detail: "503 wait ***", retryAfter: 3600 });
  });

  test("a program that was allowed once is not started after that", async () => {
    const { app, post } = await world({ egress: { exec: true } });
    await post("create", { name: "p", kind: "exec", settings: { program: "/bin/true" } });
    expect((await app.muster.channels.sendable(1)?.send(message()))?.outcome).toBe("sent");
    const later = new TestApp();
    const settings = app.rows<{ settings: string }>("select settings from channels")[0]?.settings ?? "";
    later.db.$client.run(
      "insert into channels (id, name, kind, settings, created_at) values (1, 'p', 'exec', ?, 0)",
      [settings],
    );
    expect((await later.muster.channels.sendable(1)?.send(message()))?.outcome).toBe("refused");
  });

  test("one whose settings were lost with secret.key, or of a kind that is gone, says so and does not break the list", async () => {
    const { app, get } = await world();
    app.db.$client.run(
      "insert into channels (name, kind, settings, created_at) values ('lost', 'ntfy', '', 0), ('gone', 'pigeon', '', 0)",
    );
    const sent = (id: number) => app.muster.channels.sendable(id)?.send(message());
    expect(await sent(1)).toEqual({
      outcome: "refused",
      detail: "The channel's url is missing or wrong: address of the ntfy server",
    });
    expect(await sent(2)).toEqual({
      outcome: "refused",
      detail: "This version knows no channels of kind pigeon",
    });
    expect((await get("list")).json.totalRecords).toBe(2);
  });
});
