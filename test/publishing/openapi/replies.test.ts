/** The description against the truth: what operations really answer is what it says, and all that it says happens. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { changesState, type Method, type Operation } from "../../../src/platform/http/operation.ts";
import { type OperationObject, openApiDocument } from "../../../src/publishing/openapi/document.ts";
import type { Schema } from "../../../src/publishing/openapi/schemas.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { TestApp } from "../../support/app.ts";
import { causesOf } from "./causes.ts";
import { calls, examples, type Populated, populated, send } from "./examples.ts";

/** Where nothing listens. */
const CLOSED_PORT = 1;

const operations = new TestApp().operations;
const described = await openApiDocument(operations);
const ajv = new Ajv2020({ strict: false, validateFormats: false });

let agent: AgentHttpd;
beforeAll(async () => {
  agent = await AgentHttpd.start();
});
afterAll(() => agent.stop());

function descriptionOf({ path }: Operation, method: Method): OperationObject {
  const operation = described.paths[`/api/1${path}`]?.[method === "GET" ? "get" : "post"];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

/** The schema, but for fields that it does not name. */
function strict(schema: Schema): Schema {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, entry]) => [name, strict(entry)]),
      ),
    }),
    ...(typeof items === "object" && { items: strict(items) }),
    ...(anyOf && { anyOf: anyOf.map(strict) }),
  };
}

const validators = new Map<Schema, ValidateFunction>();

function faults(schema: Schema, value: unknown): string {
  // References are to the components of the description.
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components: described.components });
  validators.set(schema, validate);
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

const jsonOf = (description: OperationObject, status: number) =>
  description.responses[status]?.content?.["application/json"]?.schema;

/** A populated app for one test; those that change nothing share theirs. */
function provider(agentPort: () => number) {
  let shared: Populated;
  beforeAll(async () => {
    shared = await populated(agentPort());
  });
  return async ({ kind }: Operation): Promise<Populated> =>
    changesState(kind) ? populated(agentPort()) : shared;
}

describe("the reply is as described:", () => {
  const provide = provider(() => agent.port);
  for (const [operation, method] of calls(operations))
    test(`${method} ${operation.path}`, async () => {
      const populace = await provide(operation);
      const args = examples(populace)[operation.path];
      expect(args, "test/publishing/openapi/examples.ts lacks an example").toBeDefined();
      const reply = await send(populace.admin, method, operation.path, args ?? {});
      expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
      const description = descriptionOf(operation, method);
      const schema = jsonOf(description, 200);
      expect(schema && faults(strict(schema), reply.json)).toBe("");
      const headers = Object.keys(description.responses[200]?.headers ?? {});
      expect(headers.filter((name) => !reply.headers.has(name))).toEqual([]);

      const asCsv = await send(populace.admin, method, operation.path, { ...args, format: "csv" });
      const isCsv = asCsv.headers.get("Content-Type")?.startsWith("text/csv") ?? false;
      expect(Object.keys(description.responses[200]?.content ?? {}).includes("text/csv")).toBe(isCsv);
    });
});

describe("the errors are those described, and no others:", () => {
  const provide = provider(() => CLOSED_PORT);
  for (const [operation, method] of calls(operations))
    test(`${method} ${operation.path}`, async () => {
      const description = descriptionOf(operation, method);
      const populace = await provide(operation);
      // What nobody foresaw can be caused by nothing that is described.
      const seen = new Set(["500 internal"]);
      for (const cause of causesOf(operation, method, populace)) {
        const reply = await cause(populace);
        if (reply.status < 400) continue;
        const schema = jsonOf(description, reply.status);
        const fault = schema ? faults(schema, reply.json) : "this status is not described";
        expect([reply.status, reply.json.code, fault]).toEqual([reply.status, reply.json.code, ""]);
        seen.add(`${reply.status} ${reply.json.code}`);
      }
      const said = Object.keys(description.responses).flatMap((status) => {
        const codes = jsonOf(description, Number(status))?.properties?.code?.enum ?? [];
        return Number(status) < 400 ? [] : codes.map((code) => `${status} ${code}`);
      });
      expect([...seen].sort()).toEqual(said.sort());
    });
});
