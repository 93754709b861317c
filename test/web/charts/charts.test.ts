import { describe, expect, test } from "bun:test";
import { STATISTIC as S } from "../../../src/monit/statistic-types.ts";
import type { HistoryReply, HistorySeries } from "../../../web/api/types.ts";
import { binaryIncrements, isBinary, isWhole, wholeIncrements } from "../../../web/charts/axis.ts";
import {
  extremesOf,
  HOST_PANEL_TYPES,
  hiddenAfter,
  hostPanels,
  isChartable,
  isolated,
  limitOffers,
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

function reply(...series: HistorySeries[]): HistoryReply {
  return {
    hostid: 1,
    hostname: "web",
    datefrom: 0,
    dateto: 300,
    resolution: 0,
    times: [0, 100, 200],
    series,
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

  test("show all parts of CPU usage that reach a percent, and user, system and wait whatever they reach", () => {
    const [cpu] = hostPanels(
      reply(
        series(S.cpuSteal.code, [0, 30, 0]),
        series(S.cpuSoftIrq.code, [0.2, 0.9, 0.1]),
        series(S.cpuNice.code, [0, 0, 60]),
        series(S.cpuUser.code, [0, 0, 0]),
        series(S.cpuWait.code, [0, 0, 0]),
        series(S.cpuSystem.code, [3, 3, 3]),
      ),
    );
    expect(cpu?.series.map(({ label }) => label)).toEqual(["user", "system", "wait", "nice", "steal"]);
  });

  test("have one line for the usage of a host that was renamed, and one for each filesystem", () => {
    const panels = hostPanels(
      reply(
        series(S.cpuUser.code, [null, null, 30], { id: 2, serviceid: 2, servicename: "new" }),
        series(S.cpuUser.code, [10, 20, null], { id: 1, serviceid: 1, servicename: "old" }),
        series(S.spacePercent.code, [40, 41, null], { id: 3, serviceid: 3, servicename: "rootfs" }),
        series(S.spacePercent.code, [null, null, 7], { id: 4, serviceid: 4, servicename: "home" }),
      ),
    );
    expect(panels.map(({ series }) => series.map(({ id, label, mean }) => [id, label, mean]))).toEqual([
      [[2, "user", [10, 20, 30]]],
      [
        [3, "rootfs", [40, 41, null]],
        [4, "home", [null, null, 7]],
      ],
    ]);
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
    const line = series(S.cpuUser.code, [5, null, 7], { min: [1, null, 6], max: [9, null, 8] });
    expect(extremesOf(line, [0, 100, 200])).toEqual({
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
    // The parts of a system whose name changed in between: three of the old one, three of the new one.
    const [old, anew] = [
      [1, null],
      [null, 1],
    ];
    expect(stacked([old, anew, old, anew, old, anew].map((mean) => series(1, mean)))).toEqual([
      [1, null],
      [null, 1],
      [2, null],
      [null, 2],
      [3, null],
      [null, 3],
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

test("values between two gaps are drawn as dots, others are reached by a line", () => {
  expect(isolated([1, null, 2, null, null, 3, 4, undefined, 5])).toEqual([0, 2, 8]);
  expect(isolated([1, 2, null, 3, 4])).toBeNull();
  expect(isolated([])).toBeNull();
});

test("counts and codes have ticks at whole numbers only", () => {
  for (const { code } of [S.programStatus, S.linkState, S.threads]) expect(isWhole(code)).toBe(true);
  for (const { code } of [S.load, S.cpuUser, S.spaceMb]) expect(isWhole(code)).toBe(false);
  expect(wholeIncrements().slice(0, 5)).toEqual([1, 2, 5, 10, 20]);
});
test("a series that is chosen is shown alone, and all of its chart when it was already", () => {
  const others = new Set([7]);
  expect(hiddenAfter(others, 1, [1, 2, 3], false)).toEqual([7, 2, 3]);
  expect(hiddenAfter(new Set([7, 2, 3]), 1, [1, 2, 3], false)).toEqual([7]);
  expect(hiddenAfter(new Set([1]), 1, [1, 2], false)).toEqual([2]);
  expect(hiddenAfter(others, 1, [1, 2, 3], true)).toEqual([7, 1]);
  expect(hiddenAfter(new Set([7, 1]), 1, [1, 2, 3], true)).toEqual([7]);
});

describe("a limit at a point of a chart", () => {
  const NOTHING: ReadonlySet<number> = new Set();
  const point = (rest: object) => ({ index: 1, value: 63.4321, step: 0.8, hidden: NOTHING, ...rest });

  test("is offered for each shown series, the nearest first, at a value that can be aimed at", () => {
    const [panel] = servicePanels(
      reply(
        series(S.memoryPercent.code, [10, 20]),
        series(S.swapPercent.code, [50, 60], { id: 9, descriptor: "d" }),
        series(S.spacePercent.code, [1, 2]),
      ),
    );
    if (!panel) throw new Error("there is no chart");
    const hidden = new Set([S.spacePercent.code]);
    expect(limitOffers(panel, 7, point({ hidden }))).toMatchObject([
      { id: 9, value: 63, number: String(S.swapPercent.code), hostId: 7, service: "web", descriptor: "d" },
      { value: 63, number: String(S.memoryPercent.code), hostId: 7, descriptor: "" },
    ]);
    expect(limitOffers(panel, 7, point({ value: 1_234_567, step: 38_000 }))[0]?.value).toBe(1_200_000);
  });

  test("is at the value of each series from the keyboard, and not where there is none", () => {
    const [panel] = servicePanels(
      reply(series(S.memoryPercent.code, [10, 20.126]), series(S.swapPercent.code, [50, null])),
    );
    if (!panel) throw new Error("there is no chart");
    const offers = limitOffers(panel, 7, point({ value: null, step: 0.01 }));
    expect(offers.map(({ value }) => value)).toEqual([20.13]);
  });

  test("is about the sum where areas are stacked", () => {
    const [cpu] = hostPanels(reply(series(S.cpuUser.code, [10, 20]), series(S.cpuSystem.code, [1, 2])));
    if (!cpu) throw new Error("there is no chart");
    expect(limitOffers(cpu, 7, point({ value: null, step: 0.01 }))).toMatchObject([
      { value: 22, number: "cpu", hostId: 7, service: undefined },
    ]);
  });
});
