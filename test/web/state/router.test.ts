import { describe, expect, test } from "bun:test";
import { match } from "../../../web/state/router.ts";

describe("a route", () => {
  test("matches its own paths only, with or without a slash at the end", () => {
    expect(match("/hosts/:id", "/hosts/12")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts/12/")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts")).toBeNull();
    expect(match("/hosts", "/hosts/12")).toBeNull();
    expect(match("/", "/")).toEqual({});
  });
});
