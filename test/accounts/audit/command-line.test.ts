import { expect, test } from "bun:test";
import { CommandFolder } from "../../operations/commands/support.ts";

const entries = (folder: CommandFolder) =>
  folder.query("select via, uname, operation, subject_id, subject_name, details from audit order by id");
const entry = (operation: string, id: string, name: string) => ({
  via: "command",
  uname: "",
  operation,
  subject_id: id,
  subject_name: name,
  details: "{}",
});

test("what the command line does to users is in the audit log", async () => {
  using folder = new CommandFolder().fill();
  await folder.run("user add bob", "bob's secret");
  await folder.run("user passwd user", "another secret");
  await folder.run("user delete user");
  expect(entries(folder)).toEqual([
    entry("command/user/add", "bob", "bob"),
    entry("command/user/passwd", "user", "A User"),
    entry("command/user/delete", "user", "A User"),
  ]);
});

test("what it only asks or does not do is not", async () => {
  using folder = new CommandFolder().fill();
  await folder.run("user list");
  expect((await folder.run("user add user", "a secret")).code).toBe(1);
  expect((await folder.run("user delete admin")).code).toBe(1);
  expect((await folder.run("user passwd nobody", "a secret")).code).toBe(1);
  expect(entries(folder)).toEqual([]);
});
