/** The operations of the specification, one row each, against those that are there. */
import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { METHODS } from "../../src/http/operation.ts";
import { TestApp } from "../support/app.ts";

/** Arguments in brackets are optional. */
const SPECIFICATION: readonly [methods: string, path: string, who: string, args: string][] = [
  ["GET", "/admin/hosts/list", "admin", ""],
  ["GET", "/admin/hosts/get", "admin", "id"],
  [
    "POST",
    "/admin/hosts/update",
    "admin",
    "id hostname agentuser agentpassword [keepname] [description] [status] [ipaddrout] [portout] [sslout] [skew]",
  ],
  ["POST", "/admin/hosts/delete", "admin", "[id] [inactive]"],
  ["POST", "/admin/hosts/test", "admin", "ipaddr port ssl agentuser agentpassword"],
  ["POST", "/admin/hosts/action", "admin", "id action service"],
  ["GET", "/admin/users/list", "admin", ""],
  ["GET", "/admin/users/get", "self", "uname"],
  [
    "POST",
    "/admin/users/create",
    "admin",
    "uname password fullname [title] [email] [phone] [mobile] [imname] [imtype] [admin]",
  ],
  [
    "POST",
    "/admin/users/update",
    "self",
    "uname password oldpassword fullname [title] [email] [phone] [mobile] [imname] [imtype] [admin]",
  ],
  ["POST", "/admin/users/delete", "admin", "uname"],
  ["GET", "/admin/groups/list", "admin", ""],
  ["POST", "/admin/groups/create", "admin", "name"],
  ["POST", "/admin/groups/update", "admin", "id name"],
  ["POST", "/admin/groups/delete", "admin", "id"],
  ["POST", "/admin/groups/add", "admin", "id hostid"],
  ["POST", "/admin/groups/remove", "admin", "id hostid"],
  ["GET POST", "/status/hosts/list", "session", "[hostid] [hostgroupid] [led]"],
  ["GET POST", "/status/hosts/get", "session", "id"],
  ["GET POST", "/status/hosts/summary", "session", ""],
  ["GET POST", "/reports/uptime/list", "session", "[range] [datefrom] [dateto]"],
  ["GET POST", "/reports/uptime/get", "session", "id [range] [datefrom] [dateto]"],
  [
    "GET POST",
    "/reports/events/list",
    "session",
    "[active] [hostid] [hostgroupid] [servicenameid] [servicegroupid] [servicetype] [eventtype] [state] [datefrom] " +
      "[dateto] [results] [startindex] [sort] [dir]",
  ],
  ["GET POST", "/reports/events/get", "session", "id"],
  ["GET POST", "/reports/events/summary", "session", ""],
  ["GET POST", "/reports/events/dismiss", "session", "id"],
  ["GET POST", "/session/put", "login", ""],
  ["GET POST", "/session/get", "login", "[key]"],
  ["GET POST", "/session/delete", "login", "[key]"],
  ["GET POST", "/session/invalidate", "login", ""],
];

/** Ours beyond the specification. */
const EXTENSIONS: readonly [methods: string, path: string, who: string][] = [
  ["POST", "/login", "public"],
  ["POST", "/reports/events/note", "session"],
  ["GET", "/status/servicegroups/list", "session"],
  ["GET", "/admin/refusals/list", "admin"],
  ["GET", "/admin/settings/collector", "admin"],
];

const operations = new Map(new TestApp().operations.map((operation) => [operation.path, operation]));

describe("the specification's", () => {
  for (const [methods, path, who, args] of SPECIFICATION)
    test(`${methods} ${path} is there, for ${who}, and takes ${args || "no arguments"}`, () => {
      const operation = operations.get(path);
      expect(operation).toBeDefined();
      if (!operation) return;
      expect(METHODS[operation.kind].join(" ")).toBe(methods);
      expect(operation.access).toBe(who as never);
      const entries = operation.takes.entries as Record<string, v.GenericSchema>;
      for (const arg of args.split(" ").filter(Boolean)) {
        const optional = arg.startsWith("[");
        const schema = entries[arg.replace(/[[\]]/g, "")];
        expect(schema, arg).toBeDefined();
        expect([arg, schema && v.safeParse(schema, undefined).success]).toEqual([arg, optional]);
      }
    });
});

describe("beyond it", () => {
  for (const [methods, path, who] of EXTENSIONS)
    test(`${methods} ${path} is there, for ${who}`, () => {
      const operation = operations.get(path);
      expect(operation?.access).toBe(who as never);
      expect(operation && METHODS[operation.kind].join(" ")).toBe(methods);
    });
});

test("every operation has a summary, a schema of arguments and one of its reply", () => {
  for (const { path, summary, takes, gives } of operations.values()) {
    expect(path).toMatch(/^(\/[a-z.]+)+$/);
    expect(summary.length).toBeGreaterThan(5);
    expect(takes.type).toBe("object");
    expect(gives.kind).toBe("schema");
  }
});

test("every argument says what it allows", () => {
  const silent: string[] = [];
  for (const { path, takes } of operations.values())
    for (const [name, schema] of Object.entries(takes.entries as Record<string, v.GenericSchema>)) {
      const inner = (entry: v.GenericSchema): v.GenericSchema =>
        "wrapped" in entry
          ? inner(entry.wrapped as v.GenericSchema)
          : "item" in entry
            ? inner(entry.item as v.GenericSchema)
            : entry;
      if (!v.getDescription(inner(schema))) silent.push(`${path} ${name}`);
    }
  expect(silent).toEqual([]);
});
