import { describe, expect, test } from "bun:test";
import { addressAt, momentIn, takesMoment, timeIn } from "../../../web/state/moment.ts";

const momentOf = (query: string) => momentIn({ path: "/hosts", query: new URLSearchParams(query) });

describe("the moment in an address", () => {
  test("is a time in whole seconds", () => {
    expect(momentOf("at=1795547611")).toBe(1_795_547_611);
  });

  test("is now without one, with one that is none, and on a wall", () => {
    for (const query of [
      "",
      "at=",
      "at=0",
      "at=-5",
      "at=1.5",
      "at=yesterday",
      "at=1795547611&kiosk=1",
      "at=1795547611000000",
    ])
      expect(momentOf(query)).toBeNull();
  });

  test("is put into an address after other arguments", () => {
    expect(addressAt("/hosts/3", 50)).toBe("/hosts/3?at=50");
    expect(addressAt("/hosts", 50, { group: 2 })).toBe("/hosts?group=2&at=50");
  });
});

test("a time in an address is one that has a date", () => {
  const timeOf = (query: string) => timeIn(new URLSearchParams(query), "datefrom");
  expect(timeOf("datefrom=1795547611")).toBe(1_795_547_611);
  expect(timeOf("datefrom=253402300799")).toBe(253_402_300_799);
  for (const query of ["", "datefrom=9e15", "datefrom=253402300800", "datefrom=-5", "datefrom=abc"])
    expect(timeOf(query)).toBeNull();
});

test("a read takes a moment if the service knows its past", () => {
  expect(takesMoment("/status/hosts/list")).toBe(true);
  expect(takesMoment("/admin/settings/get")).toBe(false);
});
