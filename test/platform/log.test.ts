import { expect, test } from "bun:test";
import { createLog, type LogOptions } from "../../src/platform/log.ts";

function linesOf(options: LogOptions): string[] {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), options, { now: () => 1_767_614_400 });
  log.info("host is silent", { host: "a b", id: 7, path: "/var/lib/muster" });
  log.warn('said "no"\nand went', { reason: 'line\nbreak "quoted"' });
  log.error("failed", { error: new Error("no") });
  return lines;
}

test("text: level, message, key=value; one line each, whatever is in the values", () => {
  const [info, , error = ""] = linesOf({});
  expect(info).toBe('info host is silent host="a b" id=7 path=/var/lib/muster');
  expect(error).toStartWith('error failed error="Error: no\\n');
  expect(error).not.toContain("\n");
});

test("json: an object a line, with the time", () => {
  const [info = "", warn = "", error = ""] = linesOf({ format: "json" });
  expect(JSON.parse(info)).toEqual({
    time: "2026-01-05T12:00:00Z",
    level: "info",
    message: "host is silent",
    host: "a b",
    id: 7,
    path: "/var/lib/muster",
  });
  expect(JSON.parse(warn)).toMatchObject({ level: "warn", reason: 'line\nbreak "quoted"' });
  expect(JSON.parse(error).error).toStartWith("Error: no\n");
  for (const line of [info, warn, error]) expect(line).not.toContain("\n");
});

test("no value controls a terminal or turns a line, and JSON keeps it", () => {
  const host = "web\x1b[2J\x9b2J\x85\u2028\u202ekcab\u2066 \u00fc";
  for (const format of ["text", "json"] as const) {
    const lines: string[] = [];
    createLog((line) => lines.push(line), { format }).info("host is down", { host });
    const [line = ""] = lines;
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(line).toContain("\u00fc");
    const json: unknown = JSON.parse(format === "json" ? line : line.slice("info host is down host=".length));
    expect(json).toEqual(format === "json" ? expect.objectContaining({ host }) : host);
  }
});

test("lines below the level are not written", () => {
  const levels = (level: "info" | "warn" | "error") => linesOf({ level }).map((line) => line.split(" ")[0]);
  expect(levels("info")).toEqual(["info", "warn", "error"]);
  expect(levels("warn")).toEqual(["warn", "error"]);
  expect(levels("error")).toEqual(["error"]);
});
