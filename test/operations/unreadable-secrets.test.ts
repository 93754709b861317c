/** Secrets that secret.key does not open, as in a row that was copied from another database: who names and repairs them. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../support/app.ts";
import { CommandFolder } from "./commands/support.ts";

const WEBHOOK = { name: "chat", kind: "webhook", settings: { url: "https://hooks.example.org/" } };
const CREDENTIALS = { agentuser: "admin", agentpassword: "of the agent" };
const WITHOUT_KEY = "v1.AAAA";

/** Each kind of secret, where it is stored, and what it is called. */
const SECRETS: [owner: string, table: string, column: string, isInPlainExports: boolean][] = [
  ['the password of the user "admin"', "users", "password_md5", false],
  ['the password for the agent of the host "host-1"', "hosts", "agentpassword", false],
  ['the secret of the key "racks"', "agent_keys", "secret", false],
  ['the configuration of the channel "chat"', "channels", "settings", true],
];

async function filledApp() {
  const app = new TestApp();
  await app.report({ services: [] });
  const admin = await app.admin();
  for (const [path, fields] of [
    ["channels/create", WEBHOOK],
    ["keys/create", { name: "racks" }],
    ["hosts/update", { id: 1, hostname: "host-1", ...CREDENTIALS }],
  ] as const)
    expect((await admin.post(`/api/1/admin/${path}`, fields)).status).toBe(200);
  return { app, admin };
}

const spoil = (table: string, column: string) =>
  `update ${table} set ${column} = '${WITHOUT_KEY}' where ${table === "users" ? "uname = 'admin'" : "id = 1"}`;

describe("a secret that does not open is named by", () => {
  for (const [owner, table, column, isInPlainExports] of SECRETS) {
    const refusal = `${owner} does not open with secret.key: muster doctor says what can be done`;

    test(`muster export and import: ${owner}`, async () => {
      const { app } = await filledApp();
      using folder = new CommandFolder().fill(app);
      const file = `${folder.path}/file.json`;
      await Bun.write(file, (await folder.run("export --secrets")).out.join("\n"));
      folder.query(spoil(table, column));
      const refused = { code: 1, out: [], err: [refusal] };
      expect(await folder.run("export --secrets")).toEqual(refused);
      if (isInPlainExports) expect(await folder.run("export")).toEqual(refused);
      else expect((await folder.run("export")).code).toBe(0);
      // The password for an agent is replaced by that of the file without a look at it.
      if (table !== "hosts") expect(await folder.run(`import ${file}`)).toEqual(refused);
    });

    test(`an export of a running Muster: ${owner}`, async () => {
      const { app, admin } = await filledApp();
      app.db.$client.run(spoil(table, column));
      const { status, json } = await admin.get("/api/1/admin/transfer/export", { secrets: true });
      expect({ status, error: json.error }).toEqual({
        status: 500,
        error: refusal.replace(/^t/, "T"),
      });
    });

    test(`muster doctor, which empties it, so that it can be set again: ${owner}`, async () => {
      const { app } = await filledApp();
      using folder = new CommandFolder().fill(app);
      folder.query(spoil(table, column));
      const [finding, conclusion] = (await folder.run("doctor")).out;
      expect(finding).toStartWith(`${owner.replace(/^t/, "T")} does not open with secret.key.`);
      expect(conclusion).toStartWith("1 finding; 1 of them can be repaired");
      const { code, out } = await folder.run("doctor --repair");
      expect({ code, last: out.at(-1) }).toEqual({ code: 0, last: "1 finding repaired, 0 left" });
      const which = table === "users" ? "uname = 'admin'" : "id = 1";
      expect(folder.query(`select ${column} as secret from ${table} where ${which}`)).toEqual([
        { secret: "" },
      ]);
      expect((await folder.run("export --secrets")).code).toBe(0);
    });
  }
});

test("muster doctor --repair disables a channel whose configuration it empties, and says so", async () => {
  const { app } = await filledApp();
  using folder = new CommandFolder().fill(app);
  folder.query(spoil("channels", "settings"));
  expect((await folder.run("doctor")).out[0]).toContain("empties it, and disables the channel.");
  await folder.run("doctor --repair");
  expect(folder.query("select enabled from channels")).toEqual([{ enabled: 0 }]);
});

test("a request that needs a secret which does not open says so", async () => {
  const { app, admin } = await filledApp();
  app.db.$client.run(spoil("channels", "settings"));
  const { status, json } = await admin.get("/api/1/admin/channels/list");
  expect({ status, json }).toEqual({
    status: 500,
    json: {
      error: "A stored secret does not open with secret.key: muster doctor says which",
      code: "internal",
    },
  });
});

test("an agent reports its password anew if the stored one does not open: its messages are not refused", async () => {
  const app = new TestApp();
  await app.report({ services: [] });
  app.db.$client.run(spoil("hosts", "agentpassword"));
  app.hostCache.forgetAll();
  expect((await app.report({ services: [] })).status).toBe(200);
  const admin = await app.admin();
  expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json.agentpassword).toBe("monit");
});
