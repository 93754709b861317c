import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { expectRefusal } from "../../support/stored.ts";

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
  const client = await new TestApp().user();
  expect((await client.get(GET, { key: "CSRFToken" })).json).toEqual({ CSRFToken: client.csrfToken });
});

test("put stores every argument, and replaces what is there", async () => {
  const client = await new TestApp().user();
  expect((await client.post(PUT, { a: "1", "b c": "two words", empty: "" })).json).toEqual({});
  await client.post(PUT, { a: "3" });
  expect(await attributes(client)).toEqual({ a: "3", "b c": "two words", empty: "" });
});

test("put by GET needs no token, and takes a key named like anything", async () => {
  const client = await new TestApp().user();
  for (const key of ["__proto__", "constructor", "toString", "key", "id", "日本"])
    await client.get(PUT, { [key]: "x" });
  expect(Object.entries(await attributes(client)).sort()).toEqual(
    ["__proto__", "constructor", "id", "key", "toString", "日本"].map((key) => [key, "x"]),
  );
});

test("of a repeated key the last value counts", async () => {
  const client = await new TestApp().user();
  await client.post(PUT, { a: ["1", "2"] });
  expect(await attributes(client)).toEqual({ a: "2" });
});

test("get answers the keys asked for that exist, and all without a key", async () => {
  const client = await new TestApp().user();
  await client.post(PUT, { a: "1", b: "2", c: "3" });
  expect((await client.get(GET, { key: ["a", "c", "missing"] })).json).toEqual({ a: "1", c: "3" });
  expect((await client.post(GET, { key: "b" }, { CSRFToken: "" })).json).toEqual({ b: "2" });
  expect((await client.get(GET, { key: "missing" })).json).toEqual({});
  expect(await attributes(client)).toEqual({ a: "1", b: "2", c: "3" });
});

test("delete removes the keys asked for, and all but the token without a key", async () => {
  const client = await new TestApp().user();
  await client.post(PUT, { a: "1", b: "2", c: "3", d: "4" });
  expect((await client.post(DELETE, { key: ["a", "c", "missing"] })).json).toEqual({});
  expect(await attributes(client)).toEqual({ b: "2", d: "4" });
  await client.get(DELETE, { key: ["b", "CSRFToken"] });
  expect(await attributes(client)).toEqual({ d: "4" });
  await client.get(DELETE);
  expect(await attributes(client)).toEqual({});
});

test("attributes belong to one login", async () => {
  const app = new TestApp();
  const [first, second] = [await app.user(), await app.user()];
  await first.post(PUT, { a: "1" });
  expect(await attributes(second)).toEqual({});
  await second.post(DELETE);
  expect(await attributes(first)).toEqual({ a: "1" });
});

describe("the token", () => {
  test("in the header or as an argument lets a write through, and is not stored", async () => {
    const app = new TestApp();
    const client = await app.user();
    const bare = app.client();
    bare.cookie = client.cookie;
    const { csrfToken: CSRFToken } = client;
    expect((await bare.post(PUT, { a: "1" }, { CSRFToken })).status).toBe(200);
    expect((await bare.post(PUT, { b: "1", CSRFToken })).status).toBe(200);
    expect((await bare.post(`${PUT}?CSRFToken=${CSRFToken}`, { c: "1" })).status).toBe(200);
    expect(await attributes(client)).toEqual({ a: "1", b: "1", c: "1" });
  });

  for (const method of ["get", "post"] as const)
    test(`cannot be put by ${method}`, async () => {
      const app = new TestApp();
      const client = await app.user();
      const put = () => client[method](PUT, { CSRFToken: "mine", a: "1" });
      await expectRefusal(app, put, 400, "argument.invalid");
    });

  test("alone is nothing to store", async () => {
    const app = new TestApp();
    const client = await app.user();
    await expectRefusal(app, () => client.post(PUT, { CSRFToken: client.csrfToken }), 400, "request.invalid");
  });

  test("of another login does not do", async () => {
    const app = new TestApp();
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
    const app = new TestApp();
    const client = await app.user();
    await expectRefusal(app, () => client.post(PUT), 400, "request.invalid");
  });

  test("100 attributes, and one more is refused with all that came along", async () => {
    const app = new TestApp();
    const client = await app.user();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, "v"]));
    expect((await client.post(PUT, many)).status).toBe(200);
    expect((await client.post(PUT, { k5: "replaced" })).status).toBe(200);
    await expectRefusal(app, () => client.post(PUT, { k6: "x", one: "more" }), 400, "request.invalid");
    await client.post(DELETE, { key: "k7" });
    expect((await client.post(PUT, { one: "more" })).status).toBe(200);
  });

  test("a key of 255 characters, a value of 8 KiB, no more", async () => {
    const app = new TestApp();
    const client = await app.user();
    expect((await client.post(PUT, { ["k".repeat(255)]: "v".repeat(8192) })).status).toBe(200);
    await expectRefusal(
      app,
      () => client.post(PUT, { a: "1", ["k".repeat(256)]: "v" }),
      400,
      "request.invalid",
    );
    await expectRefusal(
      app,
      () => client.post(PUT, { a: "1", b: "v".repeat(8193) }),
      400,
      "argument.invalid",
    );
    await expectRefusal(app, () => client.post(PUT, { "": "v" }), 400, "request.invalid");
  });
});
