import { expect, test } from "bun:test";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { CommandFolder, rowsOf } from "./support.ts";

freshAppOfEachTest();

const refused = (said: string) => ({ code: 1, out: [], err: [expect.stringContaining(said)] });

test("users are listed with their roles", async () => {
  using folder = new CommandFolder().fill();
  expect(await folder.run("user list")).toEqual({
    code: 0,
    out: ["admin\tadmin\tAdministrator", "user\tuser\tA User"],
    err: [],
  });
});

test("a name that its user chose adds no line to the list, and does not command the terminal", async () => {
  using folder = new CommandFolder().fill();
  folder.query("update users set fullname = 'A\nroot\tadmin\tRoot\u001b[2J' where uname = 'user'");
  expect((await folder.run("user list")).out).toEqual([
    "admin\tadmin\tAdministrator",
    "user\tuser\tA root admin Root [2J",
  ]);
});

test("a user is added with the password that was typed, as an administrator if asked", async () => {
  using folder = new CommandFolder().fill();
  expect(await folder.run("user add bob", "bob's secret")).toEqual({
    code: 0,
    out: ["added the user bob"],
    err: [],
  });
  expect((await folder.run("user add root --admin", "root's secret")).out).toEqual([
    "added the administrator root",
  ]);
  expect(folder.query("select uname, admin from users order by uname")).toEqual([
    { uname: "admin", admin: 1 },
    { uname: "bob", admin: 0 },
    { uname: "root", admin: 1 },
    { uname: "user", admin: 0 },
  ]);
});

test("a new name has no control characters, and an older user who has them can be deleted", async () => {
  using folder = new CommandFolder().fill();
  const before = rowsOf(folder);
  for (const options of ["--generate", "--proxy"])
    expect(await folder.run(`user add bob\nroot ${options}`)).toEqual(refused("NAME must be a text of"));
  expect(rowsOf(folder)).toEqual(before);
  folder.query("update users set uname = 'bob\nroot' where uname = 'user'");
  expect(await folder.run("user delete bob\nroot")).toMatchObject({ code: 0 });
  expect(folder.query("select uname from users")).toEqual([{ uname: "admin" }]);
});

test("a generated password is printed, and is never the same", async () => {
  using folder = new CommandFolder().fill();
  const [first, second] = [
    await folder.run("user add a --generate"),
    await folder.run("user add b --generate"),
  ];
  expect(first.out).toEqual([expect.stringMatching(/^password {2}\w{20}$/), "added the user a"]);
  expect(second.out[0]).not.toBe(first.out[0] ?? "");
});

test("a change that cannot be stored is not told as done", async () => {
  using folder = new CommandFolder().fill();
  const users = () => folder.query("select uname, password_md5 from users order by uname");
  const before = users();
  folder.query("create trigger full before insert on audit begin select raise(abort, 'no space'); end");
  for (const command of ["user passwd user --generate", "user add bob --generate", "user delete user"]) {
    const { code, out, err } = await folder.run(command);
    expect([code, err]).toEqual([1, [expect.stringContaining("no space")]]);
    expect(out.filter((line) => !line.startsWith("password  "))).toEqual([]);
  }
  expect(users()).toEqual(before);
});

test("a generated password that cannot be printed is not in force", async () => {
  using folder = new CommandFolder().fill();
  const users = () => folder.query("select uname, password_md5 from users order by uname");
  const before = users();
  folder.isOutputFull = true;
  for (const command of ["user passwd user --generate", "user add bob --generate"])
    expect(await folder.run(command)).toEqual(refused("the output cannot be written"));
  expect(users()).toEqual(before);
});

test("a new password ends the user's logins and no one else's", async () => {
  await app.admin();
  await app.user();
  await app.user();
  using folder = new CommandFolder().fill(app);
  const before = folder.query("select password_md5 from users where uname = 'user'");
  expect(await folder.run("user passwd user", "another secret")).toMatchObject({ code: 0 });
  expect(folder.query("select password_md5 from users where uname = 'user'")).not.toEqual(before);
  expect(folder.query("select uname from sessions join users on users.id = user_id")).toEqual([
    { uname: "admin" },
  ]);
});

test("a user is deleted with his logins", async () => {
  await app.user();
  using folder = new CommandFolder().fill(app);
  expect(await folder.run("user delete user")).toEqual({ code: 0, out: ["deleted the user user"], err: [] });
  expect(folder.query("select uname from users")).toEqual([{ uname: "admin" }]);
  expect(folder.query("select * from sessions")).toEqual([]);
});

test("a second factor is switched off, which is in the audit log", async () => {
  app.muster.secondFactor.begin("user");
  app.db.$client.run("update users set totp_enabled = 1, totp_step = 9 where uname = 'user'");
  app.db.$client.run("insert into recovery_codes (user_id, code_hash) values (2, 'x')");
  using folder = new CommandFolder().fill(app);
  expect(await folder.run("user totp-off user")).toEqual({
    code: 0,
    out: ["turned off the second factor of user"],
    err: [],
  });
  expect(folder.query("select totp_enabled, totp_secret, totp_step from users where uname = 'user'")).toEqual(
    [{ totp_enabled: 0, totp_secret: "", totp_step: 0 }],
  );
  expect(folder.query("select * from recovery_codes")).toEqual([]);
  expect(folder.query("select operation, via, subject_id from audit order by id desc limit 1")).toEqual([
    { operation: "command/user/totp-off", via: "command", subject_id: "user" },
  ]);
});

test("a user of the proxy has no password, and gets none", async () => {
  using folder = new CommandFolder().fill();
  expect(await folder.run("user add pat --proxy --admin")).toEqual({
    code: 0,
    out: ["added the administrator pat, signed in by the proxy"],
    err: [],
  });
  const stored = () => folder.query("select origin, admin, password_md5 from users where uname = 'pat'");
  expect(stored()).toEqual([{ origin: "proxy", admin: 1, password_md5: "" }]);
  expect(await folder.run("user passwd pat", "long enough")).toEqual(refused("has no password here"));
  expect(stored()).toEqual([{ origin: "proxy", admin: 1, password_md5: "" }]);
  expect(await folder.run("user delete admin")).toEqual(refused("admin is the last administrator"));
});

test("levels in host groups are listed, given, changed and taken back, and the audit log has each change", async () => {
  for (const name of ["web", "db"]) app.muster.groups.create(name);
  using folder = new CommandFolder().fill(app);
  const stored = () => folder.query("select group_id, level from grants order by group_id");
  const said = async (command: string) => (await folder.run(command)).out;
  expect(await said("user grants user")).toEqual(["user sees all hosts"]);
  expect(await said("user grants admin")).toEqual(["admin is an administrator and may do everything"]);
  expect(await said("user grant user db view")).toEqual(["granted user the level view in db"]);
  await said("user grant user web view");
  expect(await said("user grant user web manage")).toEqual(["granted user the level manage in web"]);
  expect(await said("user grants user")).toEqual(["web\tmanage", "db\tview"]);
  expect(stored()).toEqual([
    { group_id: 1, level: "manage" },
    { group_id: 2, level: "view" },
  ]);
  expect(await said("user revoke user web")).toEqual(["revoked the level of user in web"]);
  expect(await folder.run("user revoke user web")).toEqual(refused("There is no level of user in web"));
  await said("user revoke user db");
  expect(await said("user grants user")).toEqual(["user sees no host"]);
  expect(stored()).toEqual([]);
  expect(folder.query("select operation, subject_id, details from audit")).toEqual(
    [
      ["grant", "user sees all hosts", "db\tview"],
      ["grant", "db\tview", "web\tview, db\tview"],
      ["grant", "web\tview, db\tview", "web\tmanage, db\tview"],
      ["revoke", "web\tmanage, db\tview", "db\tview"],
      ["revoke", "db\tview", "user sees no host"],
    ].map(([name, ...grants]) => ({
      operation: `command/user/${name}`,
      subject_id: "user",
      details: JSON.stringify({ grants }),
    })),
  );
});

const REFUSED: readonly [command: string, typed: string | undefined, said: string][] = [
  ["user add user", "long enough", 'There is already a user "user"'],
  // Before a password is asked for.
  ["user add user", undefined, 'There is already a user "user"'],
  ["user add bob", "", "the password must be a text of 8 to 255 characters"],
  ["user add bob", "x".repeat(256), "the password must be"],
  ["user add bob", undefined, "nothing was typed"],
  [`user add ${"x".repeat(256)}`, "x", "NAME must be"],
  ["user passwd bob", "long enough", "There is no user bob"],
  ["user passwd admin", "seven77", "the password must be"],
  ["user delete bob", undefined, "There is no user bob"],
  ["user grants bob", undefined, "There is no user bob"],
  ["user grant bob web view", undefined, "There is no user bob"],
  ["user grant user web view", undefined, "There is no group web"],
  ["user grant user web everything", undefined, "LEVEL must be one of view, operate, manage"],
  ["user revoke user web", undefined, "There is no group web"],
  ["user totp-off bob", undefined, "There is no user bob"],
  ["user totp-off user", undefined, "There is no second factor"],
  ["user add user --proxy", undefined, 'There is already a user "user"'],
  ["user add bob --proxy --generate", undefined, "--proxy and --generate"],
  ["user delete admin", undefined, "admin is the last administrator"],
];
for (const [command, typed, said] of REFUSED)
  test(`${command.slice(0, 40)} with ${JSON.stringify(typed)?.slice(0, 10)} is refused and changes nothing`, async () => {
    using folder = new CommandFolder().fill();
    const before = rowsOf(folder);
    expect(await folder.run(command, typed)).toEqual(refused(said));
    expect(rowsOf(folder)).toEqual(before);
  });
