import { describe, expect, test } from "bun:test";
import { STATISTIC as S } from "../../../src/monit/statistic-types.ts";
import type { HistoryReply, HistorySeries } from "../../../web/api/types.ts";
import { binaryIncrements, isBinary } from "../../../web/charts/axis.ts";
import {
  extremesOf,
  HOST_PANEL_TYPES,
  hostPanels,
  isChartable,
  nearest,
  servicePanels,
  stacked,
} from "../../../web/charts/panels.ts";
import { chartWindow, POINTS } from "../../../web/charts/range.ts";
import { distinctLabels, formatTick } from "../../../web/text/statistics.ts";

const NOW = 1_767_614_400;

function series(type: number, mean: (number | null)[], rest: Partial<HistorySeries> = {}): HistorySeries {
  return {
    id: type,
    serviceid: 1,
    servicename: "web",
    type,
    descriptor: "",
    min: mean,
    mean,
    max: mean,
    ...rest,
  };
}

function reply(...all: HistorySeries[]): HistoryReply {
  return {
    hostid: 1,
    hostname: "web",
    datefrom: 0,
    dateto: 300,
    resolution: 0,
    times: [0, 100, 200],
    series: all,
  };
}

describe("the stretch of time", () => {
  const at = (query: string, now = NOW) => chartWindow(new URLSearchParams(query), now);

  test("is a day unless the address says otherwise, and ends after now", () => {
    const { from, to, range } = at("");
    expect(range).toBe("24h");
    expect(to - from).toBe(86_400);
    expect(to).toBeGreaterThan(NOW);
    expect(at("range=nonsense")).toEqual({ from, to, range: "24h" });
  });

  test("moves on in steps of one point, and stays what it is in between", () => {
    expect(at("range=7d", NOW + 10)).toEqual(at("range=7d"));
    const later = at("range=7d", NOW + (7 * 86_400) / POINTS + 1);
    expect(later.to).toBeGreaterThan(at("range=7d").to);
    expect(at("range=1h", NOW + 16).to).toBeGreaterThan(at("range=1h").to);
  });

  test("is what was zoomed into, which does not move", () => {
    expect(at("range=7d&from=1000&to=2000")).toEqual({ from: 1000, to: 2000, range: null });
    expect(at("from=2000&to=1000").range).toBe("24h");
  });
});

describe("the charts of a host", () => {
  test("are those it has values for, in their order", () => {
    const panels = hostPanels(
      reply(
        series(S.spacePercent.code, [40, 41, 42], { servicename: "rootfs" }),
        series(S.cpuSystem.code, [1, 2, 3]),
        series(S.cpuUser.code, [4, 5, 6]),
        series(S.load.code, [null, null, null]),
      ),
    );
    expect(panels.map(({ key, series }) => [key, series.map(({ label }) => label)])).toEqual([
      ["cpu", ["user", "system"]],
      ["space", ["rootfs"]],
    ]);
    expect(HOST_PANEL_TYPES).toContain(S.downloadBytes.code);
  });

  test("show what an agent does not know as a gap, never as a negative rate", () => {
    const [panel] = hostPanels(reply(series(S.downloadBytes.code, [-1, 10, -1])));
    expect(panel?.series[0]?.mean).toEqual([null, 10, null]);
  });

  test("draw negative values of what can be negative", () => {
    const drawn = ({ code }: { code: number }) =>
      servicePanels(reply(series(code, [-3, 1, 2])))[0]?.series[0]?.mean;
    expect([S.certificateDays, S.load, S.linkState, S.linkSpeed].map(drawn)).toEqual([
      [-3, 1, 2],
      [-3, 1, 2],
      [null, 1, 2],
      [null, 1, 2],
    ]);
  });
});

describe("the charts of a service", () => {
  test("have statistics of one unit together, and leave out what is no quantity", () => {
    const panels = servicePanels(
      reply(
        series(S.processCpu.code, [1, 2, 3]),
        series(S.processMemory.code, [1, 2, 3]),
        series(S.processMemoryKb.code, [1, 2, 3]),
        series(S.pid.code, [1, 2, 3]),
      ),
    );
    expect(panels.map(({ key, series }) => [key, series.length])).toEqual([
      ["percent", 2],
      ["kB", 1],
    ]);
    expect([S.mode.code, S.checksum.code, S.timestamp.code].some(isChartable)).toBe(false);
  });

  test("call two of the same name by their units", () => {
    const labels = distinctLabels([
      { type: S.processMemory.code, descriptor: "" },
      { type: S.processMemoryKb.code, descriptor: "" },
      { type: S.children.code, descriptor: "" },
    ]);
    expect(labels).toEqual(["Process memory usage (percent)", "Process memory usage (kB)", "Children"]);
  });
});

describe("numbers", () => {
  test("of a series come from the lowest and highest within each point", () => {
    const one = series(S.cpuUser.code, [5, null, 7], { min: [1, null, 6], max: [9, null, 8] });
    expect(extremesOf(one, [0, 100, 200])).toEqual({
      lowest: 1,
      average: 6,
      highest: 9,
      highestAt: 0,
      latest: 7,
    });
    expect(extremesOf(series(1, [null]), [0])).toBeNull();
  });

  test("of stacked areas are sums, with the gaps of their own", () => {
    const sums = stacked([series(1, [1, null, 3]), series(2, [10, 20, null])]);
    expect(sums).toEqual([
      [1, null, 3],
      [11, 20, null],
    ]);
  });

  test("on an axis are round in their unit", () => {
    expect(isBinary(S.processMemoryKb.code)).toBe(true);
    expect(binaryIncrements()).toContain(1024);
    expect(formatTick(S.cpuUser.code, 20)).toBe("20 %");
    expect(formatTick(S.memoryKb.code, 2048)).toBe("2 MiB");
    expect(formatTick(S.load.code, 0.5)).toBe("0.5");
  });

  test("under the pointer are those of the nearest point", () => {
    expect(nearest([0, 100, 200], 149)).toBe(1);
    expect(nearest([0, 100, 200], 151)).toBe(2);
    expect(nearest([0, 100, 200], -50)).toBe(0);
    expect(nearest([], 5)).toBe(-1);
  });
});
