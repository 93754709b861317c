import { describe, expect, test } from "bun:test";
import { addressAt, momentIn, takesMoment } from "../../../web/state/moment.ts";

const momentOf = (query: string) => momentIn({ path: "/hosts", query: new URLSearchParams(query) });

describe("the moment in an address", () => {
  test("is a time in whole seconds", () => {
    expect(momentOf("at=1795547611")).toBe(1_795_547_611);
  });

  test("is now without one, with one that is none, and on a wall", () => {
    for (const query of ["", "at=", "at=0", "at=-5", "at=1.5", "at=yesterday", "at=1795547611&kiosk=1"])
      expect(momentOf(query)).toBeNull();
  });

  test("is put into an address after other arguments", () => {
    expect(addressAt("/hosts/3", 50)).toBe("/hosts/3?at=50");
    expect(addressAt("/hosts", 50, { group: 2 })).toBe("/hosts?group=2&at=50");
  });
});

test("a read takes a moment if the service knows its past", () => {
  expect(takesMoment("/status/hosts/list")).toBe(true);
  expect(takesMoment("/admin/settings/get")).toBe(false);
});
