import { describe, expect, test } from "bun:test";
import type { TestClient } from "../../support/client.ts";
import { app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

appOfEachTest();

const PUT = "/api/1/session/put";
const GET = "/api/1/session/get";
const DELETE = "/api/1/session/delete";

/** All attributes but the token. */
async function attributes(client: TestClient): Promise<Record<string, string>> {
  const { CSRFToken, ...rest } = (await client.get(GET)).json;
  expect(CSRFToken).toBe(client.csrfToken);
  return rest;
}

test("the token is read from the attribute CSRFToken", async () => {
  expect((await user.get(GET, { key: "CSRFToken" })).json).toEqual({ CSRFToken: user.csrfToken });
});

test("a call is checked against the token, whatever other attributes there are", async () => {
  await user.post(PUT, { A: "1", z: "2" });
  expect((await user.post(PUT, { A: "3" })).status).toBe(200);
  await expectRefusal(app, () => user.post(PUT, { A: "4" }, { CSRFToken: "3" }), 403, "csrf.token");
});

test("put stores every argument, and replaces what is there", async () => {
  expect((await user.post(PUT, { a: "1", "b c": "two words", empty: "" })).json).toEqual({});
  await user.post(PUT, { a: "3" });
  expect(await attributes(user)).toEqual({ a: "3", "b c": "two words", empty: "" });
});

test("put by GET needs no token, and takes a key named like anything", async () => {
  for (const key of ["__proto__", "constructor", "toString", "key", "id", "日本"])
    await user.get(PUT, { [key]: "x" });
  expect(Object.entries(await attributes(user)).sort()).toEqual(
    ["__proto__", "constructor", "id", "key", "toString", "日本"].map((key) => [key, "x"]),
  );
});

test("of a repeated key the last value counts", async () => {
  await user.post(PUT, { a: ["1", "2"] });
  expect(await attributes(user)).toEqual({ a: "2" });
});

test("get answers the keys asked for that exist, and all without a key", async () => {
  await user.post(PUT, { a: "1", b: "2", c: "3" });
  expect((await user.get(GET, { key: ["a", "c", "missing"] })).json).toEqual({ a: "1", c: "3" });
  expect((await user.post(GET, { key: "b" }, { CSRFToken: "" })).json).toEqual({ b: "2" });
  expect((await user.get(GET, { key: "missing" })).json).toEqual({});
  expect(await attributes(user)).toEqual({ a: "1", b: "2", c: "3" });
});

test("delete removes the keys asked for, and all but the token without a key", async () => {
  await user.post(PUT, { a: "1", b: "2", c: "3", d: "4" });
  expect((await user.post(DELETE, { key: ["a", "c", "missing"] })).json).toEqual({});
  expect(await attributes(user)).toEqual({ b: "2", d: "4" });
  await user.get(DELETE, { key: ["b", "CSRFToken"] });
  expect(await attributes(user)).toEqual({ d: "4" });
  await user.get(DELETE);
  expect(await attributes(user)).toEqual({});
});

test("attributes belong to one login", async () => {
  const [first, second] = [await app.user(), await app.user()];
  await first.post(PUT, { a: "1" });
  expect(await attributes(second)).toEqual({});
  await second.post(DELETE);
  expect(await attributes(first)).toEqual({ a: "1" });
});

describe("the token", () => {
  test("in the header or as an argument lets a write through, and is not stored", async () => {
    const bare = app.client();
    bare.cookie = user.cookie;
    const { csrfToken: CSRFToken } = user;
    expect((await bare.post(PUT, { a: "1" }, { CSRFToken })).status).toBe(200);
    expect((await bare.post(PUT, { b: "1", CSRFToken })).status).toBe(200);
    expect((await bare.post(`${PUT}?CSRFToken=${CSRFToken}`, { c: "1" })).status).toBe(200);
    expect(await attributes(user)).toEqual({ a: "1", b: "1", c: "1" });
  });

  for (const method of ["get", "post"] as const)
    test(`cannot be put by ${method}`, async () => {
      const put = () => user[method](PUT, { CSRFToken: "mine", a: "1" });
      await expectRefusal(app, put, 400, "argument.invalid");
    });

  test("alone is nothing to store", async () => {
    await expectRefusal(app, () => user.post(PUT, { CSRFToken: user.csrfToken }), 400, "request.invalid");
  });

  test("of another login does not do", async () => {
    const [first, second] = [await app.user(), await app.user()];
    await expectRefusal(
      app,
      () => first.post(PUT, { a: "1" }, { CSRFToken: second.csrfToken }),
      403,
      "csrf.token",
    );
  });
});

describe("bounds", () => {
  test("put needs something to store", async () => {
    await expectRefusal(app, () => user.post(PUT), 400, "request.invalid");
  });

  test("100 attributes, and one more is refused with all that came along", async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, "v"]));
    expect((await user.post(PUT, many)).status).toBe(200);
    expect((await user.post(PUT, { k5: "replaced" })).status).toBe(200);
    await expectRefusal(app, () => user.post(PUT, { k6: "x", one: "more" }), 400, "request.invalid");
    await user.post(DELETE, { key: "k7" });
    expect((await user.post(PUT, { one: "more" })).status).toBe(200);
  });

  test("a key of 255 characters, a value of 8 KiB, no more", async () => {
    expect((await user.post(PUT, { ["k".repeat(255)]: "v".repeat(8192) })).status).toBe(200);
    await expectRefusal(
      app,
      () => user.post(PUT, { a: "1", ["k".repeat(256)]: "v" }),
      400,
      "request.invalid",
    );
    for (const value of ["v".repeat(8193), "日".repeat(2731)])
      await expectRefusal(app, () => user.post(PUT, { a: "1", b: value }), 400, "argument.invalid");
    await expectRefusal(app, () => user.post(PUT, { "": "v" }), 400, "request.invalid");
  });
});
