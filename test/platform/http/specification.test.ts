/**
 * The specification, one row per operation, argument and reply field, compared with the operations and with their
 * actual replies. Extensions are in separate tables. Whatever is in neither fails.
 */
import { afterAll, describe, expect, test } from "bun:test";
import * as v from "valibot";
import type { Method } from "../../../src/platform/http/operation.ts";
import { METHODS } from "../../../src/platform/http/operation.ts";
import { validate } from "../../../src/platform/http/validate.ts";
import { examples, populated, send } from "../../publishing/openapi/examples.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { TestApp } from "../../support/app.ts";
import { EXTENSIONS, SPECIFICATION } from "./specification.table.ts";

interface Argument {
  name: string;
  type: string;
  required: boolean;
  repeatable: boolean;
  values: string[];
}

const lines = (table = "") => table.split("\n").flatMap((line) => line.trim() || []);

function argumentsOf(table: string | undefined): Argument[] {
  return lines(table).map((line) => {
    const [name = "", type = "", need, ...rest] = line.split(/\s+/);
    return {
      name,
      type,
      required: need === "R",
      repeatable: rest[0] === "repeatable",
      values: rest.filter((word) => word !== "repeatable"),
    };
  });
}

const fieldsOf = (table: string | undefined) => lines(table).map((line) => line.replace(/\s+/g, " "));

interface FieldTree {
  type: string;
  within: Map<string, FieldTree>;
}

/** The fields of both tables in the order of a reply: those of an object together, the specification's first. */
function inOrder(fields: readonly string[]): string[] {
  const root: FieldTree = { type: "", within: new Map() };
  for (const field of fields) {
    const [path = "", type = ""] = field.split(" ");
    let at = root;
    for (const step of path.split(".")) {
      const next = at.within.get(step) ?? { type: "", within: new Map() };
      at.within.set(step, next);
      at = next;
    }
    at.type = type;
  }
  const flat = ({ type, within }: FieldTree, path: string): string[] =>
    within.size === 0
      ? [`${path} ${type}`]
      : [...within].flatMap(([step, tree]) => flat(tree, path === "" ? step : `${path}.${step}`));
  return root.within.size === 0 ? [] : flat(root, "");
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Every field of values in the same place, as the tables above write them. */
function fieldsIn(values: readonly unknown[], at = ""): string[] {
  if (values.length > 0 && values.every(Array.isArray)) return fieldsIn(values.flat(), `${at}[]`);
  if (values.length === 0 || !values.every(isObject)) {
    const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
    return [`${at} ${[...types].sort().join("|") || "nothing"}`];
  }
  const objects = values as Record<string, unknown>[];
  return [...new Set(objects.flatMap(Object.keys))].flatMap((name) => {
    const present = objects.filter((object) => name in object);
    const path = (at === "" ? name : `${at}.${name}`) + (present.length < objects.length ? "?" : "");
    return fieldsIn(
      present.map((object) => object[name]),
      path,
    );
  });
}

const agent = await AgentHttpd.start();
afterAll(() => agent.stop());

const operations = new Map(new TestApp().operations.map((operation) => [operation.path, operation]));

function operationAt(path: string) {
  const operation = operations.get(path);
  if (!operation) throw new Error(`There is no operation ${path}`);
  return operation;
}

/** The result for an argument with these texts: its value, or the code of the refusal. */
function declared(path: string, name: string, ...texts: string[]): unknown {
  const entry = (operationAt(path).request.entries as Record<string, v.GenericSchema>)[name];
  if (!entry) return "not taken";
  try {
    const values = new Map([[name, texts]]);
    // Dates of reports count with the custom range only.
    if (name.startsWith("date")) values.set("range", ["12"]);
    return (validate(v.object({ [name]: entry }), values) as Record<string, unknown>)[name];
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const unwrapped = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

const SAMPLE: Readonly<Record<string, string>> = { number: "1", string: "long-text", boolean: "true" };

function checkArgument(path: string, { name, type, required, repeatable, values }: Argument): void {
  const entry = (operationAt(path).request.entries as Record<string, v.GenericSchema>)[name];
  expect(entry, `${path} takes no ${name}`).toBeDefined();
  expect(entry && v.safeParse(entry, undefined).success).toBe(!required);
  for (const text of values.length > 0 ? values : [SAMPLE[type] ?? ""]) {
    const value = unwrapped(declared(path, name, text));
    expect([typeof value, String(value)]).toEqual([type as never, text]);
  }
  if (type !== "string" || values.length > 0)
    expect(declared(path, name, "nonsense")).toBe("argument.invalid");
  const [first = SAMPLE[type] ?? "", second = first] = values;
  if (repeatable)
    expect((declared(path, name, first, second) as unknown[]).map(String)).toEqual([first, second]);
}

describe("the specification's", () => {
  for (const [path, { methods, who: of, takes, gives }] of Object.entries(SPECIFICATION)) {
    const who = EXTENSIONS[path]?.who ?? of;
    test(`${path} is there: ${methods}, for ${who}`, () => {
      const { kind, access } = operationAt(path);
      expect([METHODS[kind].join(" "), access]).toEqual([methods, who]);
    });

    for (const argument of argumentsOf(takes))
      test(`${path} takes ${argument.name}: ${argument.required ? "required" : "optional"} ${argument.type}`, () =>
        checkArgument(path, argument));

    for (const argument of argumentsOf(EXTENSIONS[path]?.takes))
      test(`${path} takes ${argument.name}, beyond it: ${argument.type}${argument.repeatable ? ", repeatable" : ""}`, () =>
        checkArgument(path, argument));

    test(`${path} takes nothing that is not listed`, () => {
      const { request, past } = operationAt(path);
      const listed = [...argumentsOf(takes), ...argumentsOf(EXTENSIONS[path]?.takes)].map(({ name }) => name);
      if (past) listed.push("at");
      expect(Object.keys(request.entries).sort()).toEqual([...new Set(listed)].sort());
    });

    for (const method of methods.split(" ") as Method[])
      test(`${method} ${path} gives exactly the fields listed, each of its type, in their order`, async () => {
        const populace = await populated(agent.port);
        const reply = await send(populace.admin, method, path, examples(populace)[path] ?? {});
        expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
        const listed = [...fieldsOf(gives), ...fieldsOf(EXTENSIONS[path]?.gives)];
        expect(fieldsIn([reply.json])).toEqual(inOrder(listed));
      });
  }
});

test("what is beyond an operation is beyond one of the specification", () => {
  expect(Object.keys(EXTENSIONS).filter((path) => !(path in SPECIFICATION))).toEqual([]);
});

describe("the comparison itself", () => {
  test("tells a field that is missing, one too many, of another type, or only sometimes there", () => {
    const value = {
      a: 1,
      list: [{ b: "x", c: null }, { b: 2 }],
      empty: [],
      pairs: [[1, 2]],
      deep: { d: true },
    };
    expect(fieldsIn([value])).toEqual([
      "a number",
      "list[].b number|string",
      "list[].c? null",
      "empty[] nothing",
      "pairs[][] number",
      "deep.d boolean",
    ]);
    expect(fieldsIn([[{ in: [] }, { in: [1] }]])).toEqual(["[].in[] number"]);
  });

  test("puts what is beyond the specification after what is in it, object by object", () => {
    expect(inOrder(["a number", "list[].b string", "c string", "list[].own number", "own number"])).toEqual([
      "a number",
      "list[].b string",
      "list[].own number",
      "c string",
      "own number",
    ]);
  });
});
