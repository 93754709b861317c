import { expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { fleetChoice } from "../../../web/fleet/choice.ts";
import { addressOf, contentOf, metricOfView } from "../../../web/fleet/views.ts";

const metricOf = (statistics: readonly number[], descriptor = "") =>
  metricOfView({ statistics: [...statistics], descriptor });
const keyOf = (...ranking: Parameters<typeof metricOf>) => metricOf(...ranking).key;

test("a view of CPU usage is one of all parts, in any order", () => {
  expect([keyOf(CPU_PARTS), keyOf(CPU_PARTS.toReversed())]).toEqual(["cpu", "cpu"]);
});

test("a view of one type shows this type", () => {
  expect([keyOf([4]), keyOf([100]), keyOf([0], "1min")]).toEqual(["memory", "type-100", "load"]);
});

test("a view of a sum that the page does not offer is named after all its types, with the descriptor", () => {
  const names = [
    [[1, 2], "", "CPU usage (2 of 9 parts)"],
    [[1, 2, 3, 100], "", "CPU usage (4 of 9 parts)"],
    [[4, 6], "", "Memory usage + swap usage"],
    [[0], "5min", "Load average, 5min"],
    [[0], "", "Load average"],
  ] as const;
  for (const [types, descriptor, text] of names)
    expect(metricOf(types, descriptor)).toMatchObject({ text, types });
});

test.each([
  [[6, 4], ""],
  [[0], "5min"],
  [[0], "a-b.c & d"],
])(
  "a view of %p, %p opens the page of the fleet, which shows and saves the same metric and number of hosts",
  (statistics, descriptor) => {
    const content = { statistics, descriptor, hostgroup: null, order: "desc", results: 5 } as const;
    const lists = { hosts: [], services: [], rankings: [] };
    const view = { id: 1, name: "any", manage: true, created: 0, ...content, ...lists, statistics };
    const { searchParams } = new URL(addressOf(view), "http://muster.example.org");
    expect(contentOf(fleetChoice(searchParams))).toMatchObject(content);
  },
);

test("an address with no number of hosts, or too many, shows 20", () => {
  for (const count of ["", "0", "51", "many"])
    expect(fleetChoice(new URLSearchParams({ count })).count).toBe(20);
});

test("an address with an unknown metric shows CPU usage", () => {
  for (const number of ["types-", "types-1.", "types-x", "nothing", "types-1.2345"])
    expect(fleetChoice(new URLSearchParams({ number })).metric.key).toBe("cpu");
});
