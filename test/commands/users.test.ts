import { expect, test } from "bun:test";
import { TestApp } from "../support/app.ts";
import { CommandFolder, rowsOf } from "./support.ts";

const refused = (said: string) => ({ code: 1, out: [], err: [expect.stringContaining(said)] });

test("users are listed with their roles", async () => {
  using folder = new CommandFolder().fill();
  expect(await folder.run("user list")).toEqual({
    code: 0,
    out: ["admin\tadmin\tAdministrator", "user\tuser\tA User"],
    err: [],
  });
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

test("a generated password is printed, and is never the same", async () => {
  using folder = new CommandFolder().fill();
  const [first, second] = [
    await folder.run("user add a --generate"),
    await folder.run("user add b --generate"),
  ];
  expect(first.out[1]).toMatch(/^password {2}\w{20}$/);
  expect(second.out[1]).not.toBe(first.out[1] ?? "");
});

test("a new password ends the user's logins and no one else's", async () => {
  const app = new TestApp();
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
  const app = new TestApp();
  await app.user();
  using folder = new CommandFolder().fill(app);
  expect(await folder.run("user delete user")).toEqual({ code: 0, out: ["deleted the user user"], err: [] });
  expect(folder.query("select uname from users")).toEqual([{ uname: "admin" }]);
  expect(folder.query("select * from sessions")).toEqual([]);
});

const REFUSED: readonly [command: string, typed: string | undefined, said: string][] = [
  ["user add user", "x", 'There is already a user "user"'],
  ["user add bob", "", "the password must be a text of 1 to 255 characters"],
  ["user add bob", "x".repeat(256), "the password must be"],
  ["user add bob", undefined, "nothing was typed"],
  [`user add ${"x".repeat(256)}`, "x", "NAME must be"],
  ["user passwd bob", "x", "There is no user bob"],
  ["user passwd admin", "", "the password must be"],
  ["user delete bob", undefined, "There is no user bob"],
  ["user delete admin", undefined, "admin is the last administrator"],
];
for (const [command, typed, said] of REFUSED)
  test(`${command.slice(0, 40)} with ${JSON.stringify(typed)?.slice(0, 10)} is refused and changes nothing`, async () => {
    using folder = new CommandFolder().fill();
    const before = rowsOf(folder);
    expect(await folder.run(command, typed)).toEqual(refused(said));
    expect(rowsOf(folder)).toEqual(before);
  });
