import { describe, expect, test } from "bun:test";
import { documentIn } from "../../../src/operations/transfer/transfer.service.ts";
import { MAX_FORM_BYTES } from "../../../src/platform/http/arguments.ts";
import { TestApp } from "../../support/app.ts";
import { expectRefusal } from "../../support/stored.ts";

const app = new TestApp();
await app.report({ id: "a", hostname: "alpha" });
await app.report({ id: "b", hostname: "beta" });
await app.report({ id: "c", hostname: "gamma" });
const admin = await app.admin();
const LIST = "/api/1/status/hosts/list";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Posts a raw body. */
async function post(
  path: string,
  body: BodyInit,
  type: string | null = FORM["Content-Type"],
  more: Record<string, string> = {},
) {
  const headers: Record<string, string> = { CSRFToken: admin.csrfToken, ...more };
  if (type !== null) headers["Content-Type"] = type;
  const request = { method: "POST", body, headers };
  const response = await admin.raw(path, request);
  const json = (await response.json()) as { code?: string; error?: string; records: { hostname: string }[] };
  return { status: response.status, headers: response.headers, text: "", json };
}

const names = (json: { records: { hostname: string }[] }) =>
  json.records.map(({ hostname }) => hostname).join(" ");

const QUERIES: readonly [query: string, hosts: string, why: string][] = [
  ["", "alpha beta gamma", "no arguments"],
  ["?hostid=1", "alpha", "one"],
  ["?hostid=3&hostid=1", "alpha gamma", "repeated"],
  ["?hostid=1&unknown=x&id=9", "alpha", "unknown names are ignored"],
  ["?results=1&results=2", "alpha beta", "of a repeated scalar the last counts"],
  ["?hostid=01", "alpha", "leading zeros"],
  ["?hostid=99", "", "an unknown id selects nothing"],
  ["?hostpattern=et%61", "beta", "percent-encoding"],
  ["?hostpattern=", "alpha beta gamma", "an empty text"],
];
for (const [query, hosts, why] of QUERIES)
  test(`in the query, ${query || "nothing"} selects "${hosts}": ${why}`, async () => {
    expect(names((await admin.get(LIST + query)).json)).toBe(hosts);
  });

const BODIES: readonly [query: string, body: string, hosts: string, why: string][] = [
  ["", "hostid=1", "alpha", "body"],
  ["?hostid=2", "", "beta", "a POST may use its query"],
  ["?hostid=2", "hostid=1", "alpha", "the body wins"],
  ["?hostid=2&hostid=3", "hostid=1", "alpha", "over all values of the query"],
  ["?hostid=2&hostid=3", "led=3", "beta gamma", "but only for the names it holds"],
];
for (const [query, body, hosts, why] of BODIES)
  test(`by POST, query "${query}" and body "${body}" select "${hosts}": ${why}`, async () => {
    expect(names((await post(LIST + query, body)).json)).toBe(hosts);
  });

test("a space arrives as %20 and as +, in query and body", async () => {
  const freshApp = new TestApp();
  const client = await freshApp.admin();
  await client.get("/api/1/session/put?a=one%20two&b=one+two&c=1%2B1");
  await client.post("/api/1/session/put?d=x%20y", {});
  await client.raw("/api/1/session/put", {
    method: "POST",
    body: "e=one%20two&f=one+two&g=%C3%A6%E6%97%A5",
    headers: { ...FORM, CSRFToken: client.csrfToken },
  });
  const { CSRFToken: _token, ...attributes } = (await client.get("/api/1/session/get")).json;
  expect(attributes).toEqual({
    a: "one two",
    b: "one two",
    c: "1+1",
    d: "x y",
    e: "one two",
    f: "one two",
    g: "æ日",
  });
});

describe("a body that is no form", () => {
  const TYPES: readonly [type: string | null, status: number][] = [
    ["application/json", 415],
    ["text/plain", 415],
    ["text/xml", 415],
    ["application/x-www-form-urlencodedx", 415],
    ["application/x-www-form-urlencoded; charset=UTF-8", 200],
    ["APPLICATION/X-WWW-FORM-URLENCODED", 200],
    ["multipart/form-data; boundary=missing", 400],
    ["multipart/form-data", 400],
  ];
  for (const [type, status] of TYPES)
    test(`of type ${type} is answered ${status}`, async () => {
      expect((await post(LIST, "hostid=1", type)).status).toBe(status);
    });

  test("but is empty does not matter", async () => {
    expect((await post(LIST, "", "application/json")).status).toBe(200);
  });
});

describe("a compressed body", () => {
  const GZIP = { "Content-Encoding": "gzip" };

  test("of a form is refused: read as it is, it names no attribute, and so deletes all of them", async () => {
    await admin.post("/api/1/session/put", { colour: "blue", size: "large" });
    const body = Bun.gzipSync("key=colour");
    const call = () => post("/api/1/session/delete", body, FORM["Content-Type"], GZIP);
    const refused = await expectRefusal(app, call, 415, "body.type");
    expect(refused.json.error).toBe("The body must be sent without Content-Encoding");
    expect((await admin.get("/api/1/session/get", { key: "size" })).json).toEqual({ size: "large" });
  });

  test("of JSON is refused", async () => {
    const body = Bun.gzipSync('{"tags":["web"],"hosts":[1]}');
    const call = () => post("/api/1/admin/tags/add", body, "application/json", GZIP);
    await expectRefusal(app, call, 415, "body.type");
  });

  test("is not one that says it is as it is", async () => {
    const reply = await post(LIST, "hostid=1", FORM["Content-Type"], { "Content-Encoding": "identity" });
    expect(names(reply.json)).toBe("alpha");
  });
});

test("a multipart form is read, and a file in it is no argument", async () => {
  const form = new FormData();
  form.append("hostid", "1");
  form.append("hostid", "3");
  form.append("led", new Blob(["0"]), "led.txt");
  const { headers, body } = new Request("http://x/", { method: "POST", body: form });
  const bytes = await new Response(body).bytes();
  expect(names((await post(LIST, bytes, headers.get("Content-Type"))).json)).toBe("alpha gamma");
});

test("a body of the largest size is read, one byte more is answered 413", async () => {
  const fill = (size: number) => `hostid=1&x=${"y".repeat(size - 11)}`;
  expect((await post(LIST, fill(MAX_FORM_BYTES))).status).toBe(200);
  const reply = await post(LIST, fill(MAX_FORM_BYTES + 1));
  expect([reply.status, reply.json.code]).toEqual([413, "body.large"]);
});

test("a body without a length is read up to the same size", async () => {
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)),
  });
  expect((await post(LIST, endless)).status).toBe(413);
});

test("a body whose connection ends is no fault of Muster", async () => {
  const cut = new ReadableStream({
    pull: (controller) => controller.error(new Error("aborted")),
  });
  expect((await post(LIST, cut)).status).toBe(400);
  expect(app.logged.filter((line) => line.startsWith("error"))).toEqual([]);
});

test("more values of a repeated argument than a statement takes are no fault of Muster", async () => {
  const ids = Array.from({ length: 40_000 }, (_, i) => `hostid=${i}`).join("&");
  const reply = await post(LIST, ids);
  expect(reply.status).toBeLessThan(500);
});

test("more keys of a session than a statement takes are no fault of Muster", async () => {
  const keys = Array.from({ length: 40_000 }, (_, i) => `key=${i}`).join("&");
  expect((await post("/api/1/session/get", keys)).status).toBeLessThan(500);
});

describe("400 names the argument and what it allows", () => {
  for (const id of ["", "abc", "1.5", "1e3", " 1", "0x1", "9007199254740992", "1'; drop table hosts"])
    test(`where an id is "${id}"`, async () => {
      const reply = await expectRefusal(app, () => admin.get(LIST, { hostid: id }), 400, "argument.invalid");
      expect(reply.json.error).toMatch(/^hostid.* must be an id \(a whole number\)/);
    });

  test("a wrong value among several of a repeated argument", async () => {
    const get = () => admin.get(`${LIST}?hostid=1&hostid=x`);
    await expectRefusal(app, get, 400, "argument.invalid");
  });
});

const BOOLEANS: readonly [given: string, admin: boolean | null][] = [
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
  ["yes", null],
  ["TRUE", null],
  ["", null],
  ["constructor", null],
];
for (const [text, expected] of BOOLEANS)
  test(`the boolean "${text}" is ${expected ?? "refused"}`, async () => {
    const freshApp = new TestApp();
    const client = await freshApp.admin();
    const fields = { uname: "new", password: "new secret", fullname: "N", admin: text };
    const reply = await client.post("/api/1/admin/users/create", fields);
    expect(reply.status).toBe(expected === null ? 400 : 200);
    const rows = freshApp.rows<{ admin: number }>("select admin from users where uname = 'new'");
    expect(rows).toEqual(expected === null ? [] : [{ admin: Number(expected) }]);
  });

test("U+0000 is stored by nothing: it becomes U+FFFD, in query, form, multipart form and file", async () => {
  const freshApp = new TestApp();
  const client = await freshApp.admin();
  await client.get("/api/1/session/put?a%00=one%00two");
  await client.post("/api/1/session/put", { b: "\0" });
  const form = new FormData();
  form.set("c", "x\0y");
  await client.upload("/api/1/session/put", form);
  const { CSRFToken: _token, ...attributes } = (await client.get("/api/1/session/get")).json;
  expect(attributes).toEqual({ "a\ufffd": "one\ufffdtwo", b: "\ufffd", c: "x\ufffdy" });
  expect((await client.post("/api/1/admin/groups/create", { name: "web\0" })).status).toBe(200);
  const again = await client.post("/api/1/admin/groups/create", { name: "web\ufffd" });
  expect([again.status, again.json.code]).toEqual([409, "group.exists"]);
  expect(documentIn(Buffer.from('{"groups":[{"name":"web\\u0000"}]}'))).toEqual({
    groups: [{ name: "web\ufffd" }],
  });
  expect(freshApp.rows("select name from host_groups")).toEqual([{ name: "web\ufffd" }]);
});

test("an agent's names are without it too", async () => {
  const freshApp = new TestApp();
  await freshApp.report({ hostname: "a\0b", services: [{ name: "c\0d" }] });
  expect(freshApp.rows("select hostname from hosts")).toEqual([{ hostname: "a\ufffdb" }]);
  expect(freshApp.rows("select name from names")).toEqual([{ name: "c\ufffdd" }]);
});

const MULTIPART = "multipart/form-data; boundary=x";

/** A multipart form with an argument many times. */
function formOf(parts: number): string {
  const part = '\r\n--x\r\nContent-Disposition: form-data; name="hostid"\r\n\r\n1';
  return `${part.repeat(parts).slice(2)}\r\n--x--\r\n`;
}

test("an argument may have 10,000 values in a multipart form, too", async () => {
  expect(names((await post(LIST, formOf(10_000), MULTIPART)).json)).toBe("alpha");
  expect((await post(LIST, formOf(10_001), MULTIPART)).json.error).toContain("10000");
});

describe("what is too much is refused before anything is done with it", () => {
  const manyKeys = Array.from({ length: 100_000 }, (_, i) => `k${i}=`).join("&");

  test("keys of a session, however many fit into a body", async () => {
    const freshApp = new TestApp();
    const client = await freshApp.admin();
    const before = (await client.get("/api/1/session/get")).json;
    for (const keys of [manyKeys, Array.from({ length: 101 }, (_, i) => `k${i}=`).join("&")]) {
      const headers = { ...FORM, CSRFToken: client.csrfToken };
      const request = { method: "POST", body: keys, headers };
      expect((await client.raw("/api/1/session/put", request)).status).toBe(400);
    }
    expect((await client.get("/api/1/session/get")).json).toEqual(before);
  });

  test("values and names of a form, of a query, and parts of a multipart form", async () => {
    expect((await post(LIST, "hostid=1&".repeat(20_000))).json.error).toBe("There are too many arguments");
    expect((await post(LIST, "hostid=1&".repeat(9_999))).status).toBe(200);
    expect((await post(LIST, manyKeys.slice(0, 10_000))).json.error).toBe("There are too many arguments");
    const manyParts = "\r\n--x".repeat(20_000);
    expect((await post(LIST, manyParts, MULTIPART)).json.error).toBe("There are too many arguments");
    expect(names((await post(LIST, formOf(5), MULTIPART)).json)).toBe("alpha");
    const query = Array.from({ length: 1001 }, (_, i) => `k${i}`).join("&");
    expect((await admin.get(`${LIST}?${query}`)).json.error).toBe("There are too many arguments");
  });

  test("a body of somebody who is not signed in", async () => {
    const stranger = app.client();
    const login = async (path: string, length: number) => {
      const body = "z_username=admin&z_password=".padEnd(length, "x");
      return (await stranger.raw(path, { method: "POST", body, headers: FORM })).status;
    };
    for (const path of ["/api/1/login", "/z_security_check"]) {
      expect(await login(path, 64 * 1024 + 1)).toBe(413);
      expect(await login(path, 200)).toBe(401);
    }
  });
});
