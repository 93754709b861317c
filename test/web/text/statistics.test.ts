import { describe, expect, test } from "bun:test";
import type { Service, Statistic } from "../../../web/api/types.ts";
import { formatStatistic, headline, statisticLabel } from "../../../web/text/statistics.ts";

function statistic(type: number, value: number, rest: Partial<Statistic> = {}): Statistic {
  return { id: type, type, descriptor: "", value, ...rest };
}

describe("a value", () => {
  test.each([
    ["load average", statistic(0, 0.8), "0.80"],
    ["percent", statistic(4, 61.34), "61.3 %"],
    ["kilobyte", statistic(5, 2048), "2 MiB"],
    ["megabyte", statistic(20, 1024), "1 GiB"],
    ["response time", statistic(15, 0.0123), "12.3 ms"],
    ["fast response", statistic(17, 0.000042), "0.042 ms"],
    ["slow response", statistic(17, 2.5), "2.5 s"],
    ["failed response", statistic(15, -1), "failed"],
    ["mode", statistic(26, 755), "755"],
    ["id", statistic(30, 12_345), "12345"],
    ["uptime", statistic(34, 90_000), "1 d 1 h"],
    ["rate", statistic(120, 2048), "2 KiB/s"],
    ["link", statistic(140, 1), "up"],
    ["link speed that is not known", statistic(141, -1_000_000), "unknown"],
    ["size of no file", statistic(29, -1), "unknown"],
    ["mode of no file", statistic(26, 7777), "unknown"],
    ["owner of no file", statistic(27, -1), "unknown"],
    ["time of no file", statistic(33, 0, { descriptor: "access" }), "unknown"],
    ["unknown type", statistic(9999, 12_345.678), "12,345.68"],
  ])("of kind %s has its unit", (_, value, text) => {
    expect(formatStatistic(value)).toBe(text);
  });

  test("that is a text is shown as it is, even when empty", () => {
    expect(formatStatistic(statistic(32, 0, { text: "d41d8" }))).toBe("d41d8");
    expect(formatStatistic(statistic(35, 0, { text: "" }))).toBe("");
  });
});

test("a label tells values of one type apart", () => {
  expect(statisticLabel(statistic(0, 1, { descriptor: "5min" }))).toBe("Load average, 5min");
  expect(statisticLabel(statistic(9999, 1))).toBe("Value 9999");
});

test("the headline of a service has what its type is looked at for, at most eight values", () => {
  const ports = Array.from({ length: 20 }, (_, i) =>
    statistic(15, 0.001, { id: 100 + i, descriptor: `h:${i} [HTTP/TCP]` }),
  );
  const service = { typeid: 4, statistics: [...ports, statistic(17, 0.0005)] } as unknown as Service;
  const values = headline(service);
  expect(values).toHaveLength(8);
  expect(values[0]).toEqual({ id: 17, type: 17, label: "ping", value: "0.5 ms" });
  expect(values[1]).toEqual({ id: 100, type: 15, label: "h:0 [HTTP/TCP]", value: "1 ms" });
});
