import { expect, test } from "bun:test";
import { USER_PASSWORD } from "../../support/app.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";

appOfEachTest();

const PATH = "/api/1/session/user";

test("a signed-in user is told who he is, whatever he asks for, and nothing changes", async () => {
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

test("changes of the account take effect at once", async () => {
  const details = {
    uname: "user",
    password: USER_PASSWORD,
    oldpassword: USER_PASSWORD,
    fullname: "Another Name",
  };
  expect((await user.post("/api/1/admin/users/update", details)).status).toBe(200);
  expect((await user.get(PATH)).json).toMatchObject({ uname: "user", fullname: "Another Name" });
});

test("an API token learns for whom it acts", async () => {
  const made = await user.post("/api/1/tokens/create", { name: "a program", scope: "read" });
  const authorization = { Authorization: `Bearer ${made.json.token}` };
  expect((await app.client().get(PATH, {}, authorization)).json).toMatchObject({
    uname: "user",
    admin: false,
  });
});
