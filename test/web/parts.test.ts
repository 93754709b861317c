import { describe, expect, test } from "bun:test";
import { ApiError, apiUrl, asApiError } from "../../web/api/client.ts";
import { ReplyCache } from "../../web/api/reply-cache.ts";
import type { HostSettings } from "../../web/api/types.ts";
import { barsOf } from "../../web/events/histogram.tsx";
import { memberChanges } from "../../web/groups/groups.tsx";
import { effectiveAddress } from "../../web/hosts/host-arguments.ts";
import { match } from "../../web/state/router.ts";
import { type Column, sorted } from "../../web/ui/table.tsx";

describe("a route", () => {
  test("matches its own paths only, with or without a slash at the end", () => {
    expect(match("/hosts/:id", "/hosts/12")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts/12/")).toEqual({ id: "12" });
    expect(match("/hosts/:id", "/hosts")).toBeNull();
    expect(match("/hosts", "/hosts/12")).toBeNull();
    expect(match("/", "/")).toEqual({});
  });
});

describe("the address of a call", () => {
  test("repeats lists and leaves out what is not given", () => {
    expect(apiUrl("/x", { a: [1, 2], b: "", c: null, d: undefined, e: 0 })).toBe("/api/1/x?a=1&a=2&e=0");
    expect(apiUrl("/x")).toBe("/api/1/x");
  });

  test("escapes what users type", () => {
    expect(apiUrl("/x", { q: "a&b=c d" })).toBe("/api/1/x?q=a%26b%3Dc+d");
  });
});

test("whatever is thrown can be shown as an error of the API", () => {
  const error = new ApiError(404, "object.unknown", "There is no host 7");
  expect(asApiError(error)).toBe(error);
  expect(asApiError(new TypeError("x is undefined")).message).toContain("x is undefined");
});

test("the reply cache forgets the reply that was set longest ago", () => {
  const cache = new ReplyCache();
  for (let i = 0; i < 41; i++) cache.set(`/${i}`, { data: i, etag: null });
  expect(cache.get("/0")).toBeUndefined();
  expect(cache.get("/1")?.data).toBe(1);
  cache.set("/1", { data: "again", etag: null });
  cache.set("/41", { data: 41, etag: null });
  expect(cache.get("/1")?.data).toBe("again");
  expect(cache.get("/2")).toBeUndefined();
});

test("sorting keeps the order of equal rows, both ways", () => {
  const columns: Column<[string, number]>[] = [
    { key: "n", label: "N", cell: () => null, order: (a, b) => a[1] - b[1] },
    { key: "name", label: "Name", cell: () => null },
  ];
  const rows: [string, number][] = [
    ["a", 1],
    ["b", 0],
    ["c", 1],
  ];
  const names = (key: string, dir: "asc" | "desc") =>
    sorted(rows, columns, { key, dir }).map(([name]) => name);
  expect(names("n", "asc")).toEqual(["b", "a", "c"]);
  expect(names("n", "desc")).toEqual(["a", "c", "b"]);
  expect(names("name", "asc")).toEqual(["a", "b", "c"]);
});

test("bars sum three samples of ten minutes, by label", () => {
  const samples = (...counts: number[]) => counts.map((count, i): [number, number] => [i * 600, count]);
  const bars = barsOf({
    datefrom: 0,
    dateto: 3600,
    events: [
      { label: "Failed", data: samples(1, 0, 2, 0, 0, 5) },
      { label: "Changed", data: samples(0, 1, 0, 0, 0, 0) },
    ],
  });
  expect(bars).toEqual([
    {
      at: 0,
      total: 4,
      counts: [
        { label: "Failed", count: 3 },
        { label: "Changed", count: 1 },
      ],
    },
    {
      at: 1800,
      total: 5,
      counts: [
        { label: "Failed", count: 5 },
        { label: "Changed", count: 0 },
      ],
    },
  ]);
});

test("members of a group change by what was added and what was removed", () => {
  expect(memberChanges([1, 2, 3], new Set([2, 4]))).toEqual({ add: [4], remove: [1, 3] });
});

describe("the address of an agent", () => {
  const host = { ipaddrin: "10.0.0.1", portin: 2812, sslin: 1 } as HostSettings;
  const form = (values: Record<string, string>) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(values)) data.set(name, value);
    return data;
  };

  test("is what the agent reported where nothing is set", () => {
    const address = effectiveAddress(
      host,
      form({ ipaddrout: "", portout: "", sslout: "-1", sslverify: "1" }),
    );
    expect(address).toMatchObject({ ipaddr: "10.0.0.1", port: 2812, ssl: 1, sslverify: 1 });
  });

  test("is what is set otherwise", () => {
    const address = effectiveAddress(host, form({ ipaddrout: "agent.example", portout: "443", sslout: "0" }));
    expect(address).toMatchObject({ ipaddr: "agent.example", port: 443, ssl: 0, sslverify: 0 });
  });
});
