/** What the record of every operation must contain. */
import { expect, test } from "bun:test";
import * as v from "valibot";
import { allowedValue } from "../../../src/platform/http/validate.ts";
import { TestApp } from "../../support/app.ts";

const { operations } = new TestApp();

test("every operation has a summary, a schema of arguments and one of its reply", () => {
  for (const { path, summary, request, response } of operations) {
    expect(path).toMatch(/^(\/[a-z.]+)+$/);
    expect(summary.length).toBeGreaterThan(5);
    expect(["object", "strict_object"]).toContain(request.type);
    expect(response.kind).toBe("schema");
  }
});

/** Objects, also of several kinds, and flags that Muster sets need no words beside their fields. */
function needsNone(schema: v.GenericSchema): boolean {
  const wanted = "wrapped" in schema ? (schema.wrapped as v.GenericSchema) : schema;
  if ("entries" in wanted || wanted.type === "variant" || v.getMetadata(wanted).readOnly === true)
    return true;
  return wanted.type === "nullable" && needsNone(wanted);
}

test("every argument says what it allows", () => {
  const silent: string[] = [];
  for (const { path, request } of operations)
    for (const [name, schema] of Object.entries(request.entries as Record<string, v.GenericSchema>))
      if (!allowedValue(schema) && !needsNone(schema)) silent.push(`${path} ${name}`);
  expect(silent).toEqual([]);
});
