/** The mail server in the settings, which all mail channels use that name none. */
import { describe, expect, test } from "bun:test";
import { insertDelivery } from "../../../src/alerting/notifications/deliveries.repository.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { MAIL_PASSWORD, MAIL_USER, MailServer } from "./mail-server.ts";
import { CERT, message } from "./support.ts";

async function world() {
  const app = new TestApp({ egress: { ca: CERT } });
  const admin = await app.admin();
  const set = (fields: Fields) => admin.post("/api/1/admin/settings/update", fields);
  const create = (settings: object) =>
    admin.post("/api/1/admin/channels/create", { name: "ops", kind: "email", settings });
  const shown = async (name: string) =>
    (await admin.get("/api/1/admin/settings/get")).json.settings.find(
      (setting: { name: string }) => setting.name === name,
    );
  return { app, admin, set, create, shown };
}

const settingsOf = ({ port }: { port: number }) => ({
  mailhost: "localhost",
  mailport: port,
  mailuser: MAIL_USER,
  mailpassword: MAIL_PASSWORD,
  mailfrom: "muster@example.org",
});
const TO = { to: "ops@example.org" };

describe("a channel without a mail server", () => {
  test("uses that of the settings, as it is when the mail is sent", async () => {
    await using first = await MailServer.start();
    await using second = await MailServer.start();
    const { app, set, create } = await world();
    expect((await set(settingsOf(first))).status).toBe(200);
    const { id } = (await create(TO)).json;
    const sender = app.muster.channels.sendable(id);
    expect(await sender?.send(message())).toEqual({ outcome: "sent", detail: "250 queued as 4711" });
    expect(first.mails).toMatchObject([
      { from: "muster@example.org", to: ["ops@example.org"], user: MAIL_USER, secure: true },
    ]);
    await set({ mailport: second.port, mailfrom: "other@example.org" });
    await sender?.send(message());
    expect([first.mails.length, second.mails]).toMatchObject([1, [{ from: "other@example.org" }]]);
  });

  test("is refused while the settings have none, and by name of what is missing", async () => {
    const { app, set, create } = await world();
    const refused = async () => {
      const { status, json } = await create(TO);
      return [status, json.error];
    };
    expect(await refused()).toEqual([400, expect.stringContaining("settings.host is required")]);
    await set({ mailhost: "mail.example.org", mailfrom: "muster@example.org" });
    expect((await create(TO)).status).toBe(200);
    await set({ mailhost: "", mailfrom: "" });
    expect(await app.muster.channels.sendable(1)?.send(message())).toMatchObject({
      outcome: "refused",
      detail: expect.stringContaining("The channel's host is missing"),
    });
    expect(app.rows("select id from channels")).toHaveLength(1);
  });

  test("is tried again at once when the mail server changes", async () => {
    const { app, set, create } = await world();
    await set({ mailhost: "mail.example.org", mailfrom: "muster@example.org" });
    await create(TO);
    const held = () =>
      app.rows("select held_until, next_at from channels join deliveries on channel_id = channels.id");
    app.db.$client.run("update channels set held_until = 99");
    const waiting = {
      channelId: 1,
      ruleName: "rule",
      channelName: "ops",
      kind: "problem",
      createdAt: START,
    } as const;
    insertDelivery(app.db, { ...waiting, status: "pending", attempts: 9, nextAt: START + 3600 }, []);
    await set({ sessionidle: 31 });
    expect(held()).toEqual([{ held_until: 99, next_at: START + 3600 }]);
    await set({ mailport: 25 });
    expect(held()).toEqual([{ held_until: null, next_at: START }]);
  });
});

test("a channel with a server and a sender of its own uses nothing of the settings", async () => {
  await using shared = await MailServer.start();
  await using own = await MailServer.start();
  const { app, set, create } = await world();
  await set(settingsOf(shared));
  const { id } = (await create({ ...TO, host: "localhost", port: String(own.port), from: "own@example.org" }))
    .json;
  await app.muster.channels.sendable(id)?.send(message());
  expect([shared.mails, own.mails]).toMatchObject([[], [{ from: "own@example.org", user: undefined }]]);
});

describe("its password", () => {
  test("is stored sealed, and no reply and no audit entry has it", async () => {
    const { app, admin, set, shown } = await world();
    await set(settingsOf({ port: 25 }));
    expect(await shown("mailpassword")).toMatchObject({ value: "", set: true });
    expect((await admin.get("/api/1/admin/audit/list")).text).not.toContain(MAIL_PASSWORD);
    const stored = JSON.stringify([app.rows("select * from settings, audit"), app.logged]);
    expect([stored.includes("mailpassword"), stored.includes(MAIL_PASSWORD)]).toEqual([true, false]);
    const file = async (secrets: number) =>
      (await admin.get("/api/1/admin/transfer/export", { secrets })).text;
    expect([(await file(0)).includes(MAIL_PASSWORD), (await file(1)).includes(MAIL_PASSWORD)]).toEqual([
      false,
      true,
    ]);
  });

  test("is masked in the answer of the server", async () => {
    await using server = await MailServer.start();
    const { admin, set } = await world();
    await set({ ...settingsOf(server), mailpassword: "another-password" });
    const channel = { name: "draft", kind: "email", settings: TO };
    const { json } = await admin.post("/api/1/admin/channels/test", { channel });
    expect(json).toMatchObject({ outcome: "refused", detail: expect.stringContaining("Wrong password ***") });
  });

  test("is kept when other settings change, and ends with the user name", async () => {
    const { app, set, shown } = await world();
    await set(settingsOf({ port: 25 }));
    await set({ mailport: 587 });
    expect(app.settings.get("mailpassword")).toBe(MAIL_PASSWORD);
    await set({ mailuser: "" });
    expect(await shown("mailpassword")).toMatchObject({ value: "", set: false });
  });
});

describe("settings that do not fit each other are refused by name, and nothing is stored", () => {
  const WRONG: readonly [fields: Fields, said: string][] = [
    [{ mailhost: "mail.example.org" }, "mailfrom is required"],
    [{ mailpassword: "x" }, "mailuser is required"],
    [{ mailuser: "x", mailsecurity: "none" }, "mailsecurity must be starttls or tls"],
    [{ mailhost: "a b", mailfrom: "a@b" }, "mailhost must be a host name or an address"],
    [{ mailfrom: "nobody" }, "mailfrom must be an e-mail address"],
    [{ mailport: 0 }, "mailport must be a port"],
    [{ mailsecurity: "ssl" }, "mailsecurity must be one of starttls, tls, none"],
  ];
  for (const [fields, said] of WRONG)
    test(said, async () => {
      const { app, set } = await world();
      const stored = () => app.rows("select * from settings where key like 'mail%'");
      const { status, json } = await set(fields);
      expect([status, json.error]).toEqual([400, expect.stringContaining(said)]);
      expect([stored(), app.settings.get("mailhost"), app.settings.get("mailuser")]).toEqual([[], "", ""]);
    });
});
