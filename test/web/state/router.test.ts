import { describe, expect, test } from "bun:test";
import { match, wholeNumber } from "../../../web/state/router.ts";

describe("a route", () => {
  test("matches its own paths only, with or without a slash at the end", () => {
    expect(match("/hosts/:id", "/hosts/12")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts/12/")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts")).toBeNull();
    expect(match("/hosts/:id", "/hosts/-12")).toEqual({ id: "-12" });
    for (const id of ["abc", "1.5", "12a"]) expect(match("/hosts/:id", `/hosts/${id}`)).toBeNull();
    expect(match("/alerts/:part", "/alerts/rules")).toEqual({ part: "rules" });
    expect(match("/hosts", "/hosts/12")).toBeNull();
    expect(match("/", "/")).toEqual({});
  });
});

test("an argument of an address counts as the whole number in it, or as 0", () => {
  expect(["50", "1.5", "-1", "many", "", null, "1e400"].map(wholeNumber)).toEqual([
    50,
    1,
    0,
    0,
    0,
    0,
    Number.MAX_SAFE_INTEGER,
  ]);
});
