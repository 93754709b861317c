/** JSON bodies: their bounds, and the answers to hostile ones. */
import { describe, expect, test } from "bun:test";
import { checked } from "../../../src/platform/http/validate.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { Random, seeds } from "../../support/random.ts";
import { expectRefusal } from "../../support/stored.ts";

const app = new TestApp();
const admin = await app.admin();
const CREATE = "/api/1/limits/create";
const LIMIT = { name: "disk", statistics: [18], warning: 90 };

async function post(body: string, headers: Record<string, string> = {}, client: TestClient = admin) {
  const allHeaders = { "Content-Type": "application/json", CSRFToken: client.csrfToken, ...headers };
  const response = await client.raw(CREATE, { method: "POST", body, headers: allHeaders });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

const nested = (depth: number) => `{"filter":${"[".repeat(depth)}${"]".repeat(depth)}}`;

describe("a body is refused, and nothing is stored:", () => {
  const REFUSED: readonly [what: string, body: string, code: string, error: string][] = [
    ["ill-formed JSON", "{", "request.invalid", "The body is not well-formed JSON"],
    ["an empty one", "", "request.invalid", "The body is not well-formed JSON"],
    ["a list", "[]", "request.invalid", "The body must be a JSON object"],
    ["null", "null", "request.invalid", "The body must be a JSON object"],
    ["33 levels", nested(32), "request.invalid", "The JSON is nested more than 32 levels deep"],
    [
      "a million levels",
      "[".repeat(1_000_000),
      "request.invalid",
      "The JSON is nested more than 32 levels deep",
    ],
    [
      "too many values",
      JSON.stringify({ ...LIMIT, statistics: Array(20_001).fill(18) }),
      "request.invalid",
      "The JSON has more than 20000 values",
    ],
    [
      "no name",
      '{"statistics":[18]}',
      "argument.missing",
      "name is required: a text of 1 to 100 characters, at least one of them visible",
    ],
    [
      "a text for a number",
      JSON.stringify({ ...LIMIT, warning: "90" }),
      "argument.invalid",
      "warning must be a number, or null for none",
    ],
    [
      "a wrong item of a list in an object",
      JSON.stringify({ ...LIMIT, filter: { hostnames: ["a", "b", 3] } }),
      "argument.invalid",
      "filter.hostnames[2] must be a text of 1 to 255 characters",
    ],
    [
      "an object for a list",
      JSON.stringify({ ...LIMIT, filter: { hosts: {} } }),
      "argument.invalid",
      "filter.hosts must be a list of 1 to 1000, each an id (a whole number); leave it out for all",
    ],
    [
      "a text for an object",
      JSON.stringify({ ...LIMIT, filter: "all" }),
      "argument.invalid",
      "filter must be an object",
    ],
    [
      "an empty list for an object: as a filter, it would be everything",
      JSON.stringify({ ...LIMIT, filter: [] }),
      "argument.invalid",
      "filter must be an object",
    ],
    [
      "an object for one of several texts",
      JSON.stringify({ ...LIMIT, direction: {} }),
      "argument.invalid",
      "direction must be one of above, below",
    ],
    [
      "an unknown name in an object",
      JSON.stringify({ ...LIMIT, filter: { hostid: [1] } }),
      "argument.unknown",
      "There is no argument filter.hostid: use hosts, hostgroups, tags, servicenames, hostnames, servicetypes",
    ],
  ];
  for (const [title, body, code, error] of REFUSED)
    test(title, async () => {
      const refused = await expectRefusal(app, () => post(body), 400, code);
      expect(refused.json.error).toBe(error);
    });

  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    test(`the name ${name}`, async () => {
      const body = `{"name":"disk","statistics":[18],"warning":90,"${name}":{"enabled":false}}`;
      await expectRefusal(app, () => post(body), 400, "argument.unknown");
      const inFilter = `{"name":"disk","statistics":[18],"warning":90,"filter":{"${name}":[1]}}`;
      await expectRefusal(app, () => post(inFilter), 400, "argument.unknown");
      expect(({} as { enabled?: boolean }).enabled).toBeUndefined();
    });

  test("a form, with the right type in the answer", async () => {
    const form = () => post("name=disk", { "Content-Type": "application/x-www-form-urlencoded" });
    const refused = await expectRefusal(app, form, 415, "body.type");
    expect(refused.json.error).toBe("The body must be JSON (application/json)");
  });

  test("more than 1 MiB", async () => {
    const note = "x".repeat(1024 * 1024);
    await expectRefusal(app, () => post(JSON.stringify({ ...LIMIT, note })), 413, "body.large");
  });

  test("the CSRF token in the body or query instead of the header", async () => {
    const token = admin.csrfToken;
    const inBody = () => post(JSON.stringify({ ...LIMIT, CSRFToken: token }), { CSRFToken: "" });
    await expectRefusal(app, inBody, 403, "csrf.token");
    const inQuery = async () => {
      const headers = { "Content-Type": "application/json" };
      const url = `${CREATE}?CSRFToken=${token}`;
      const response = await admin.raw(url, { method: "POST", body: JSON.stringify(LIMIT), headers });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
    };
    await expectRefusal(app, inQuery, 403, "csrf.token");
  });
});

test("a list in place of an object is found in a list, too", async () => {
  const reply = await admin.post("/api/1/admin/rules/create", {
    name: "all",
    steps: [{ channels: [1] }, []],
  });
  expect([reply.status, reply.json.error]).toEqual([400, "steps[1] must be an object"]);
});

test("of a name that is given twice the last value counts, and U+0000 is replaced", async () => {
  const freshApp = new TestApp();
  const client = await freshApp.admin();
  const body = '{"name":"first","statistics":[18],"warning":90,"name":"a\\u0000b"}';
  expect((await post(body, {}, client)).json).toEqual({ id: 1 });
  expect((await client.get("/api/1/limits/get", { id: 1 })).json.name).toBe("a\ufffdb");
});

test("random bodies are answered 200 or 400, and what is stored is valid by its schema", async () => {
  const [seed = 1] = seeds(1);
  const random = new Random(seed);
  const freshApp = new TestApp();
  const client = await freshApp.admin();
  const values = [
    null,
    true,
    -1,
    0,
    1.5,
    1e300,
    "",
    "x",
    "__proto__",
    [],
    [1],
    [[]],
    {},
    { hosts: [1] },
  ] as const;
  const names = [
    "name",
    "enabled",
    "statistics",
    "filter",
    "warning",
    "critical",
    "minutes",
    "note",
    "runbook",
  ];
  for (let i = 0; i < 300; i++) {
    const changes = names.filter(() => random.chance(0.2)).map((name) => [name, random.pick(values)]);
    const limit = { ...LIMIT, name: `limit ${i}`, ...Object.fromEntries(changes) };
    const { status } = await post(JSON.stringify(limit), {}, client);
    expect([seed, i, [200, 400, 409].includes(status)]).toEqual([seed, i, true]);
  }
  const { limit } = await import("../../../src/monitoring/limits/limits.schemas.ts");
  for (const content of freshApp.muster.statisticLimits.contents(false)) checked(limit.content, content);
});
