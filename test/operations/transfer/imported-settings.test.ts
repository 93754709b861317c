/** Settings in a file: they come before what uses them, and have to fit each other as on the page of settings. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TransferQueryList } from "../../../src/operations/transfer/transfer.queries.ts";
import { inlineQueries } from "../../../src/platform/queries/queries.ts";
import { TestApp } from "../../support/app.ts";
import { expectRefusal } from "../../support/stored.ts";
import { CommandFolder } from "../commands/support.ts";
import { ask, exported, importInto } from "./support.ts";

type Values = Record<string, string | number>;

const itemsOf = (values: Values) => Object.entries(values).map(([name, value]) => ({ name, value }));
const documentWith = (values: Values) => ({ muster: 1, settings: itemsOf(values) });

const SERVER = { mailhost: "mail.example.org", mailfrom: "m@example.org" };

test("a channel that uses the mail server of the settings is imported into an empty Muster with them", async () => {
  const admin = await new TestApp().admin();
  await ask(admin, "settings/update", SERVER);
  await ask(admin, "channels/create", { name: "mail", kind: "email", settings: { to: "o@example.org" } });
  const document = await exported(admin);
  const other = await new TestApp().admin();
  const { status, json } = await importInto(other, document);
  expect([status, json.channels]).toEqual([200, { created: 1, updated: 0, same: 0, incomplete: [] }]);
});

describe("an import refuses settings that do not fit each other, and names the argument:", () => {
  const WRONG: readonly [why: string, values: Values, said: string][] = [
    ["a login without encryption", { mailsecurity: "none", mailuser: "m" }, "mailsecurity must be starttls"],
    ["a mail server without a sender", { mailhost: "mail.example.org" }, "mailfrom is required"],
    ["a password without a user", { mailpassword: "x" }, "mailuser is required"],
    ["a key that is none", { backuprecipients: "age1nothing" }, "backuprecipients must be public keys"],
    ["a bucket without its service", { backupplace: "s3://bucket/path" }, "backupendpoint is required"],
  ];
  for (const [why, values, said] of WRONG)
    test(why, async () => {
      const app = new TestApp();
      const admin = await app.admin();
      const call = () => importInto(admin, documentWith({ sessionidle: 41, ...values }));
      const { json } = await expectRefusal(app, call, 400, "request.invalid");
      expect(json.error).toContain(`settings: ${said}`);
      expect(app.settings.get("sessionidle")).toBe(30);
    });

  test("a setting that does not fit what is stored", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    await ask(admin, "settings/update", { ...SERVER, mailuser: "m" });
    const call = () => importInto(admin, documentWith({ mailsecurity: "none" }));
    const { json } = await expectRefusal(app, call, 400, "request.invalid");
    expect(json.error).toStartWith("settings: mailsecurity must be starttls");
  });

  test("a folder in the data folder, also one that does not exist or that a link leads to", async () => {
    const path = mkdtempSync(join(tmpdir(), "muster-places-"));
    try {
      const folder = join(path, "data");
      mkdirSync(folder);
      symlinkSync(folder, join(path, "link"));
      const app = new TestApp({ folder });
      const admin = await app.admin();
      for (const place of [folder, join(folder, "a/b"), join(path, "link/a"), `${path}/no/../data`]) {
        const call = () => importInto(admin, documentWith({ backupplace: place }));
        const { json } = await expectRefusal(app, call, 400, "request.invalid");
        expect(json.error).toStartWith("settings: backupplace must be a folder");
        expect(json.error).toContain("would be lost with it");
      }
      expect((await importInto(admin, documentWith({ backupplace: join(path, "a") }))).status).toBe(200);
    } finally {
      rmSync(path, { recursive: true });
    }
  });

  test("on the command line, a folder in the data folder that it imports into", async () => {
    using target = new CommandFolder().fill();
    const file = join(target.path, "muster.json");
    writeFileSync(file, JSON.stringify(documentWith({ backupplace: join(target.folder.path, "backups") })));
    const { code, err } = await target.run(`import ${file}`);
    expect([code, err]).toEqual([1, [expect.stringContaining("would be lost with it")]]);
    expect(target.query("select value from settings where key = 'backupplace'")).toEqual([]);
  });
});

test("an import takes a place of backups that this machine lacks, or the key of a bucket", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  expect((await importInto(admin, documentWith({ backupplace: "/nowhere/at/all" }))).status).toBe(200);
  const bucket = {
    backupplace: "s3://bucket/muster",
    backupendpoint: "https://s3.example.org",
    backupkeyid: "x",
  };
  const settings = [...itemsOf(bucket), { name: "backupsecret", set: true }];
  const { status, json } = await importInto(admin, { muster: 1, settings });
  expect([status, json.settings.incomplete]).toEqual([200, ["backupsecret"]]);
  expect(app.settings.get("backupplace")).toBe("s3://bucket/muster");
});

test("an import of another mail server lets channels try again at once", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  await ask(admin, "settings/update", SERVER);
  await ask(admin, "channels/create", { name: "mail", kind: "email", settings: { to: "o@example.org" } });
  app.db.$client.run("update channels set held_until = 99");
  await importInto(admin, documentWith({ mailport: 25 }));
  expect(app.rows("select held_until from channels")).toEqual([{ held_until: null }]);
});

describe("while others are served", () => {
  test("settings are written in one step, however long it takes and wherever they are in the file", async () => {
    let now = 0;
    // After each item, the time of a step is over.
    const app = new TestApp({ monotonic: () => (now += 100) });
    const admin = await app.admin();
    // The first setting is the 200th item, up to which items are handed over together.
    const groups = Array.from({ length: 199 }, (_, i) => ({ name: `group ${i}` }));
    const { status, json } = await importInto(admin, { ...documentWith(SERVER), groups });
    expect([status, json.settings.updated]).toEqual([200, 2]);
  });

  test("a setting that no longer fits when it is written is refused, and not stored", async () => {
    const runTransfers = (queries: TransferQueryList) =>
      inlineQueries({
        ...queries,
        transferWrites: (from: number) => {
          app.settings.set("mailuser", "someone");
          return queries.transferWrites(from);
        },
      });
    const app: TestApp = new TestApp({ runTransfers });
    const { status, json } = await importInto(await app.admin(), documentWith({ mailsecurity: "none" }));
    expect([status, json.error]).toEqual([
      400,
      expect.stringMatching(/^settings: mailsecurity must be .*Nothing was written/),
    ]);
    expect(app.settings.get("mailsecurity")).toBe("starttls");
  });
});
