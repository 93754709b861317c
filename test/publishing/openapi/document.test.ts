import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { METHODS } from "../../../src/platform/http/operation.ts";
import {
  type OpenApiDocument,
  type OperationObject,
  openApiDocument,
} from "../../../src/publishing/openapi/document.ts";
import { argumentsSchema, replySchema, type Schema } from "../../../src/publishing/openapi/schemas.ts";
import { TestApp } from "../../support/app.ts";

const app = new TestApp();
const { operations } = app;
const served = await app.client().get("/api/1/openapi.json");
const described: OpenApiDocument = served.json;

function at(path: string, method: "get" | "post"): OperationObject {
  const operation = described.paths[`/api/1${path}`]?.[method];
  if (!operation) throw new Error(`${path} is not described`);
  return operation;
}

test("the description is served to everyone, as JSON that stays the same", async () => {
  expect(served.status).toBe(200);
  expect(served.headers.get("Content-Type")).toBe("application/json");
  const again = await new TestApp().client().get("/api/1/openapi.json");
  expect(again.text).toBe(served.text);
  expect(described).toEqual(JSON.parse(JSON.stringify(await openApiDocument(operations))));
});

test("making it leaves others their turns", async () => {
  let turns = 0;
  const next = () => {
    turns++;
    scheduled = setImmediate(next);
  };
  let scheduled = setImmediate(next);
  await openApiDocument(operations);
  clearImmediate(scheduled);
  expect(turns).toBeGreaterThan(operations.length / 20);
});

test("it is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(served.json));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(validator.version).toBe("3.1");
});

test("it describes every operation with each of its methods, in the order of the operations, and nothing else", () => {
  expect(Object.entries(described.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual(
    operations.map(({ path, kind }) => [
      `/api/1${path}`,
      METHODS[kind].map((method) => method.toLowerCase()),
    ]),
  );
});

test("every operation has an id of its own", () => {
  const ids = Object.values(described.paths).flatMap((item) =>
    Object.values(item).map((operation) => operation.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z]+$/);
});

/** Names of the fields, at whatever depth, that have no description. */
function silentFields(schema: Schema, within: string): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      ...(property.description ? [] : [`${within} ${name}`]),
      ...silentFields(property, `${within} ${name}`),
    ]),
    ...[...anyOf, ...oneOf, ...(typeof items === "object" ? [items] : [])].flatMap((part) =>
      silentFields(part, within),
    ),
  ];
}

test("every argument says what it means", () => {
  expect(operations.flatMap((operation) => silentFields(argumentsSchema(operation), operation.path))).toEqual(
    [],
  );
});

test("every field of a reply says what it means", () => {
  expect(operations.flatMap((operation) => silentFields(replySchema(operation), operation.path))).toEqual([]);
});

test("no text makes a plural by an s after a consonant and y", () => {
  expect(served.text.match(/\w*[^aeiou\W]ys\b/g)).toBeNull();
});

test("every schema of the description keeps to the words of JSON Schema", () => {
  expect(served.text.includes('"allowed":"')).toBe(false);
});

test("every noun says what it is, in src/publishing/openapi/introduction.ts", () => {
  expect(described.tags.filter(({ description }) => description === "")).toEqual([]);
});

describe("who may call", () => {
  const CASES: readonly [path: string, method: "get" | "post", security: OperationObject["security"]][] = [
    ["/login", "post", []],
    ["/status/hosts/get", "get", [{ session: [] }, { token: ["read"] }]],
    ["/status/hosts/get", "post", [{ session: [] }, { token: ["read"] }]],
    ["/reports/events/dismiss", "get", [{ session: [] }, { token: ["full"] }]],
    ["/reports/events/dismiss", "post", [{ session: [], csrf: [] }, { token: ["full"] }]],
    ["/tokens/list", "get", [{ session: [] }]],
    ["/session/put", "post", [{ session: [], csrf: [] }]],
    ["/admin/hosts/list", "get", [{ session: ["manage"] }, { token: ["manage", "read"] }]],
    ["/admin/users/list", "get", [{ session: ["admin"] }, { token: ["admin", "read"] }]],
    ["/admin/hosts/delete", "post", [{ session: ["admin"], csrf: [] }, { token: ["admin", "full"] }]],
  ];
  for (const [path, method, security] of CASES)
    test(`${method} ${path}: ${JSON.stringify(security)}`, () => {
      expect(at(path, method).security).toEqual(security);
    });
});

describe("arguments", () => {
  test("are query parameters by GET, with what they mean and what they may be", () => {
    expect(at("/status/hosts/list", "get").parameters?.slice(0, 2)).toEqual([
      {
        name: "hostid",
        in: "query",
        description: "only these hosts; repeatable",
        required: false,
        style: "form",
        explode: true,
        schema: {
          type: "array",
          items: {
            type: "integer",
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "an id (a whole number)",
          },
        },
      },
      expect.objectContaining({ name: "hostgroupid", required: false }),
    ]);
    expect(at("/status/hosts/get", "get").parameters?.[0]?.required).toBe(true);
  });

  test("are a form by POST, repeated where there are several", () => {
    const { requestBody, parameters } = at("/admin/hosts/action", "post");
    expect(parameters).toBeUndefined();
    const form = requestBody?.content["application/x-www-form-urlencoded"];
    expect([requestBody?.required, Object.keys(requestBody?.content ?? {})]).toEqual([
      true,
      ["application/x-www-form-urlencoded"],
    ]);
    expect(form?.schema.required).toEqual(["id", "action", "service"]);
    expect(form?.encoding).toEqual({ service: { style: "form", explode: true } });
    expect(form?.schema.properties?.action?.enum).toEqual([
      "start",
      "stop",
      "restart",
      "monitor",
      "unmonitor",
    ]);
  });

  test("are any pairs for session/put", () => {
    const [pairs, ...more] = at("/session/put", "get").parameters ?? [];
    expect(more).toEqual([]);
    expect(pairs).toMatchObject({ in: "query", explode: true, schema: { type: "object" } });
  });

  test("include the file of an upload", () => {
    const content = at("/admin/users/image", "post").requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(["application/x-www-form-urlencoded", "multipart/form-data"]);
    expect(content["multipart/form-data"]?.schema.properties?.image).toMatchObject({
      type: "string",
      format: "binary",
    });
  });

  test("leave no form for an operation without any", () => {
    expect(at("/session/invalidate", "post").requestBody).toBeUndefined();
    expect(at("/session/invalidate", "get").parameters).toBeUndefined();
  });
});
