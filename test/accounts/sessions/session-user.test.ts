import { expect, test } from "bun:test";
import { TestApp, USER_PASSWORD } from "../../support/app.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const PATH = "/api/1/session/user";

test("nobody signed in is refused", async () => {
  const app = new TestApp();
  await expectRefusal(app, () => app.client().get(PATH), 401, "session.required");
});

test("a signed-in user is told who he is, whatever he asks for, and nothing changes", async () => {
  const app = new TestApp();
  const user = await app.user();
  const admin = await app.admin();
  const before = stored(app);
  const expected = { uname: "user", fullname: "A User", admin: false, image: "" };
  expect((await user.get(PATH)).json).toEqual(expected);
  expect((await user.get(PATH, { uname: "admin" })).json).toEqual(expected);
  expect((await admin.get(PATH)).json).toEqual({
    uname: "admin",
    fullname: "Administrator",
    admin: true,
    image: "",
  });
  expect(changedTables(app, before)).toEqual([]);
});

test("what changed about him is told at once", async () => {
  const app = new TestApp();
  const user = await app.user();
  const details = {
    uname: "user",
    password: USER_PASSWORD,
    oldpassword: USER_PASSWORD,
    fullname: "Another Name",
  };
  expect((await user.post("/api/1/admin/users/update", details)).status).toBe(200);
  expect((await user.get(PATH)).json).toMatchObject({ uname: "user", fullname: "Another Name" });
});

test("an API token is told for whom it acts", async () => {
  const app = new TestApp();
  const user = await app.user();
  const made = await user.post("/api/1/tokens/create", { name: "a program", scope: "read" });
  const authorization = { Authorization: `Bearer ${made.json.token}` };
  expect((await app.client().get(PATH, {}, authorization)).json).toMatchObject({
    uname: "user",
    admin: false,
  });
});
