/** Secrets that a file without secrets does not contain, but names. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { expectRefusal } from "../../support/stored.ts";
import { ask, exported, importInto } from "./support.ts";

const PASSWORD = "secret of the mail server";
const mail = {
  name: "mail",
  kind: "email",
  settings: {
    host: "mail.example.org",
    from: "m@example.org",
    to: "o@example.org",
    user: "m",
    password: PASSWORD,
  },
};

async function withChannel(): Promise<TestClient> {
  const admin = await new TestApp().admin();
  await ask(admin, "channels/create", mail);
  return admin;
}

const channelsIn = async (admin: TestClient) =>
  (await admin.get("/api/1/admin/channels/list")).json.records as Record<string, unknown>[];

describe("a channel that has a secret which its kind does not require", () => {
  test("names it in a file without secrets, and not in one with them", async () => {
    const admin = await withChannel();
    expect((await exported(admin)).channels).toMatchObject([{ name: "mail", secrets: ["password"] }]);
    expect((await exported(admin, true)).channels[0]).not.toHaveProperty("secrets");
  });

  test("is off after the import of such a file, which says so, until someone enters the secret", async () => {
    const { channels } = await exported(await withChannel());
    const admin = await new TestApp().admin();
    const imported = async () => (await importInto(admin, { muster: 1, channels })).json.channels;
    expect(await imported()).toEqual({ created: 1, updated: 0, same: 0, incomplete: ["mail"] });
    expect(await channelsIn(admin)).toMatchObject([{ enabled: false, secrets: [] }]);
    expect(await imported()).toEqual({ created: 0, updated: 1, same: 0, incomplete: ["mail"] });
    await ask(admin, "channels/update", { id: 1, settings: { password: PASSWORD } });
    expect(await imported()).toEqual({ created: 0, updated: 1, same: 0, incomplete: [] });
    expect(await channelsIn(admin)).toMatchObject([{ enabled: true, secrets: ["password"] }]);
  });

  test("stays on where the secret is stored", async () => {
    const admin = await withChannel();
    const { channels } = await exported(admin);
    const changed = channels.map((channel) => ({ ...channel, settings: { to: "other@example.org" } }));
    const { json } = await importInto(admin, { muster: 1, channels: changed });
    expect(json.channels).toEqual({ created: 0, updated: 1, same: 0, incomplete: [] });
    expect(await channelsIn(admin)).toMatchObject([{ enabled: true, secrets: ["password"] }]);
  });

  test("is imported as before from a file that does not name it", async () => {
    const [channel] = (await exported(await withChannel())).channels;
    const { secrets: _, ...unnamed } = channel ?? {};
    const admin = await new TestApp().admin();
    const { json } = await importInto(admin, { muster: 1, channels: [unnamed] });
    expect(json.channels).toEqual({ created: 1, updated: 0, same: 0, incomplete: [] });
    expect(await channelsIn(admin)).toMatchObject([{ enabled: true }]);
  });

  test("is refused if the secret it names is none of its kind", async () => {
    const [channel] = (await exported(await withChannel())).channels;
    const app = new TestApp();
    const admin = await app.admin();
    const call = () => importInto(admin, { muster: 1, channels: [{ ...channel, secrets: ["token"] }] });
    const { json } = await expectRefusal(app, call, 400, "request.invalid");
    expect(json.error).toContain("settings.token");
  });
});

describe("secret settings", () => {
  async function withSettings(): Promise<TestClient> {
    const admin = await new TestApp().admin();
    const login = {
      mailhost: "mail.example.org",
      mailfrom: "m@example.org",
      mailuser: "m",
      mailpassword: PASSWORD,
    };
    await ask(admin, "settings/update", { ...login, heartbeaturl: "https://pings.example.org/4711" });
    return admin;
  }

  test("that are set are named in a file without secrets", async () => {
    const { settings } = await exported(await withSettings());
    expect((settings as Record<string, unknown>[]).filter(({ set }) => set)).toEqual([
      { name: "collectorpassword", set: true },
      { name: "mailpassword", set: true },
      { name: "heartbeaturl", set: true },
    ]);
  });

  test("are listed by the import while they are not set here, and none that is", async () => {
    const { settings } = await exported(await withSettings());
    const admin = await new TestApp().admin();
    const incomplete = async () => {
      const { status, json } = await importInto(admin, { muster: 1, settings });
      return [status, json.settings.incomplete];
    };
    expect(await incomplete()).toEqual([200, ["mailpassword", "heartbeaturl"]]);
    await ask(admin, "settings/update", { mailpassword: "another one" });
    expect(await incomplete()).toEqual([200, ["heartbeaturl"]]);
    await ask(admin, "settings/update", { heartbeaturl: "https://pings.example.org/4712" });
    const { json } = await importInto(admin, { muster: 1, settings });
    expect(json.settings).toEqual({
      created: 0,
      updated: 0,
      same: (settings as object[]).length,
      incomplete: [],
    });
  });

  test("without a value are refused unless they are named as set, as are others", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    for (const item of [{ name: "mailpassword" }, { name: "mailhost", set: true }]) {
      const call = () => importInto(admin, { muster: 1, settings: [item] });
      const { json } = await expectRefusal(app, call, 400, "request.invalid");
      expect(json.error).toBe(`settings, "${item.name}": Its value is missing`);
    }
  });
});
