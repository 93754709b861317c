import { expect, test } from "bun:test";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { md5 } from "../../../src/accounts/users/password.ts";
import { resealAll } from "../../../src/operations/key-rotation/sealed.repository.ts";
import { replaceKey } from "../../../src/platform/secrets/key-file.ts";
import { SecretBox } from "../../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../../src/platform/settings/settings.service.ts";
import { openForCommand } from "../../../src/platform/storage/data-folder.ts";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { CommandFolder, rowsOf } from "./support.ts";

/** A database with a sealed value in every place that has one. */
async function filled(): Promise<CommandFolder> {
  const app = new TestApp();
  await app.report({ credentials: { username: "monit", password: "agent secret" } });
  app.credential.change("another collector secret");
  app.credential.change(COLLECTOR_PASSWORD);
  await app.admin();
  app.muster.secondFactor.begin("user");
  return new CommandFolder().fill(app);
}

/** Every stored text that looks sealed, wherever it is. */
function sealedTexts(folder: CommandFolder): string[] {
  return Object.values(rowsOf(folder))
    .flat()
    .flatMap((row) => Object.values(row as object))
    .filter((value) => typeof value === "string" && value.startsWith("v1."));
}

function secretsOf(folder: CommandFolder) {
  const { db, box } = openForCommand(folder.folder);
  const settings = new Settings(db, box);
  const users = db.$client.query("select uname, password_md5 as sealed from users order by uname").all() as {
    uname: string;
    sealed: string;
  }[];
  const hosts = db.$client.query("select agentpassword as sealed from hosts").all() as { sealed: string }[];
  db.$client.close();
  return {
    collector: [settings.get("collectorpassword"), settings.get("collectorpasswordold")],
    users: users.map(({ sealed }) => box.open(sealed)),
    agents: hosts.map(({ sealed }) => box.open(sealed)),
  };
}

const SECRETS = {
  collector: [COLLECTOR_PASSWORD, "another collector secret"],
  users: [md5(ADMIN_PASSWORD), md5(USER_PASSWORD)],
  agents: ["agent secret"],
};

test("a new key opens everything, the old one nothing, and logins end", async () => {
  using folder = await filled();
  expect(secretsOf(folder)).toEqual(SECRETS);
  const key = readFileSync(folder.folder.key, "utf8");
  const before = sealedTexts(folder);
  expect(before.length).toBe(6);
  const { code, out } = await folder.run("rotate-key");
  expect(code).toBe(0);
  expect(out[0]).toContain("6 secrets were encrypted with it");
  expect(readFileSync(folder.folder.key, "utf8")).not.toBe(key);
  expect(statSync(folder.folder.key).mode & 0o777).toBe(0o600);
  expect(existsSync(`${folder.folder.key}.new`)).toBe(false);
  expect(secretsOf(folder)).toEqual(SECRETS);
  expect(folder.query("select * from sessions")).toEqual([]);
  const old = new SecretBox(Buffer.from(key.trim(), "hex"));
  const after = sealedTexts(folder);
  expect(after.length).toBe(6);
  for (const sealed of after) expect(() => old.open(sealed)).toThrow();
});

for (const broken of ["before the database is sealed anew", "before the new key is in its place"] as const)
  test(`a change of the key that breaks off ${broken} leaves a key that fits`, async () => {
    using folder = await filled();
    const { db, box } = openForCommand(folder.folder);
    const breakOff = () =>
      replaceKey(folder.folder.key, (next) => {
        if (broken === "before the new key is in its place") resealAll(db.$client, box, next);
        throw new Error("power cut");
      });
    expect(breakOff).toThrow("power cut");
    expect(existsSync(`${folder.folder.key}.new`)).toBe(true);
    db.$client.close();
    // A command beside it finds the key that fits and leaves both files alone.
    expect(secretsOf(folder)).toEqual(SECRETS);
    expect(existsSync(`${folder.folder.key}.new`)).toBe(true);
    // The process that holds the folder puts it in order.
    expect(await folder.run("rotate-key")).toMatchObject({ code: 0 });
    expect(existsSync(`${folder.folder.key}.new`)).toBe(false);
    expect(secretsOf(folder)).toEqual(SECRETS);
  });

test("it is refused while the folder is in use", async () => {
  using folder = await filled();
  const lock = lockFolder(folder.folder);
  expect(await folder.run("rotate-key")).toMatchObject({
    code: 1,
    err: [expect.stringContaining("another Muster is running")],
  });
  lock.close();
  expect(secretsOf(folder)).toEqual(SECRETS);
});

for (const [title, change, said] of [
  ["missing", (path: string) => rmSync(path), "is missing"],
  ["another one", (path: string) => writeFileSync(path, `${"2".repeat(64)}\n`), "is not the key"],
] as const)
  test(`a key that is ${title} is refused before anything is written`, async () => {
    using folder = await filled();
    change(folder.folder.key);
    const before = readFileSync(folder.folder.database);
    for (const command of ["user list", "doctor", "rotate-key"])
      expect(await folder.run(command)).toMatchObject({ code: 1, err: [expect.stringContaining(said)] });
    expect(readFileSync(folder.folder.database).equals(before)).toBe(true);
    expect(existsSync(folder.folder.key)).toBe(title !== "missing");
  });

test("a secret that the key does not open is named, and nothing changes", async () => {
  using folder = await filled();
  folder.query("update hosts set agentpassword = 'v1.AAAA' where id = 1");
  const before = rowsOf(folder);
  const key = readFileSync(folder.folder.key, "utf8");
  expect(await folder.run("rotate-key")).toEqual({
    code: 1,
    out: [],
    err: [
      'the password for the agent of the host "host-1" does not open with secret.key: muster doctor says what can be done',
    ],
  });
  expect(rowsOf(folder)).toEqual(before);
  expect(readFileSync(folder.folder.key, "utf8")).toBe(key);
  expect(existsSync(`${folder.folder.key}.new`)).toBe(false);
});

test("a lost key is replaced, and the secrets that it sealed are empty until they are set again", async () => {
  using folder = await filled();
  rmSync(folder.folder.key);
  const { code, out } = await folder.run("rotate-key --lost");
  expect(code).toBe(0);
  const collector = /password (\S+)/.exec(out.join("\n"))?.[1] ?? "";
  expect(secretsOf(folder)).toEqual({ collector: [collector, ""], users: ["", ""], agents: [""] });
  expect(folder.query("select * from sessions")).toEqual([]);
  expect(await folder.run("user passwd admin", ADMIN_PASSWORD)).toMatchObject({ code: 0 });
  expect(secretsOf(folder).users).toEqual([md5(ADMIN_PASSWORD), ""]);
});

for (const file of ["secret.key", "secret.key.new"])
  test(`a key that opens the database is not lost, and nothing is emptied: ${file}`, async () => {
    using folder = await filled();
    const place = join(folder.folder.path, file);
    if (file !== "secret.key") renameSync(folder.folder.key, place);
    const before = rowsOf(folder);
    const { code, out, err } = await folder.run("rotate-key --lost");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: [],
      err: [expect.stringContaining(`${place} opens the database, so the key is not lost`)],
    });
    expect(rowsOf(folder)).toEqual(before);
    expect(existsSync(place)).toBe(true);
  });

test("nothing is emptied if what is lost cannot be printed", async () => {
  using folder = await filled();
  rmSync(folder.folder.key);
  const before = rowsOf(folder);
  folder.isOutputFull = true;
  expect(await folder.run("rotate-key --lost")).toMatchObject({
    code: 1,
    err: ["the output cannot be written"],
  });
  expect(rowsOf(folder)).toEqual(before);
  expect(existsSync(folder.folder.key)).toBe(false);
  expect(existsSync(`${folder.folder.key}.new`)).toBe(false);
  folder.isOutputFull = false;
  expect(await folder.run("rotate-key --lost")).toMatchObject({ code: 0 });
});

test("a key is missing although a rotation that was killed left a new one", async () => {
  using folder = await filled();
  rmSync(folder.folder.key);
  writeFileSync(`${folder.folder.key}.new`, `${"2".repeat(64)}\n`, { mode: 0o600 });
  expect(await folder.run("user list")).toMatchObject({
    code: 1,
    err: [expect.stringContaining(`${folder.folder.key} is missing`)],
  });
});

test("a file that is no key counts as a lost one", async () => {
  using folder = await filled();
  writeFileSync(folder.folder.key, "", { mode: 0o600 });
  expect((await folder.run("rotate-key --lost")).code).toBe(0);
  expect((await folder.run("doctor")).code).toBe(0);
});

test("everything that a lost key emptied is printed, and channels do not stay enabled without their settings", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const create = (what: string, fields: Fields) => admin.post(`/api/1/admin/${what}/create`, fields);
  const webhook = { kind: "webhook", settings: { url: "https://h.test/" } };
  for (const name of ["chat", "pager"]) await create("channels", { name, ...webhook });
  for (const name of ["web", "db"]) await create("keys", { name, secret: "a-secret.of_24-characters" });
  app.settings.set("mailpassword", "of the mail server");
  app.settings.set("backupsecret", "of the bucket");
  app.settings.set("otlpheaders", "authorization=token");
  app.settings.set("heartbeaturl", "https://h.test/ping");
  app.muster.secondFactor.begin("user");
  app.db.$client.run("update users set totp_enabled = true where uname = 'user'");
  using folder = new CommandFolder().fill(app);
  rmSync(folder.folder.key);
  const { code, out } = await folder.run("rotate-key --lost");
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      expect.stringContaining("has to be set again:"),
      "  users           muster user passwd NAME",
      "  second factors  are off until these users set them up again: user",
      expect.stringMatching(/^ {2}agents {10}post with the password /),
      "  agent keys      are refused until each has a new secret: muster key replace NAME: db, web",
      "  hosts           the credentials of the agents' HTTP interface (settings of each host)",
      "  channels        have no settings, and are disabled: chat, pager",
      "  settings        are empty: backupsecret, heartbeaturl, mailpassword, otlpheaders",
      `${folder.folder.key} is new`,
    ],
  });
  expect(folder.query("select name, enabled, settings from channels order by name")).toEqual([
    { name: "chat", enabled: 0, settings: "" },
    { name: "pager", enabled: 0, settings: "" },
  ]);
  // All that is sealed is what the command sealed anew.
  expect(sealedTexts(folder)).toHaveLength(1);
});
