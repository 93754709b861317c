import { describe, expect, test } from "bun:test";
import type { HostStatus } from "../../../web/api/types.ts";
import { worstFirst } from "../../../web/hosts/host-table.tsx";
import { filterHosts } from "../../../web/hosts/hosts.tsx";
import { HOST_CONDITIONS } from "../../../web/text/names.ts";

function host(change: Partial<HostStatus>): HostStatus {
  return {
    id: 1,
    led: 2,
    hostname: "web1",
    events: 0,
    cpu: 1,
    mem: 1,
    status: "All 6 services are available",
    statusid: 0,
    heartbeat: 1,
    lastmodified: 0,
    services: 6,
    servicesok: 6,
    ...change,
  };
}

const DOWN = host({ id: 2, hostname: "down", led: 0, statusid: 1, heartbeat: 0 });
const ALL_FAILED = host({ id: 3, hostname: "broken", led: 0 });
const SOME_FAILED = host({ id: 4, hostname: "limping", led: 1 });
const OK = host({ id: 5, hostname: "fine" });
const WITHOUT_SERVICES = host({ id: 6, hostname: "empty", led: 3 });
const STOPPED = host({ id: 7, hostname: "stopped", led: 3, statusid: 1 });
const IGNORED = host({ id: 8, hostname: "ignored", led: 3, statusid: 2, heartbeat: 0 });
const ALL = [OK, IGNORED, STOPPED, WITHOUT_SERVICES, DOWN, SOME_FAILED, ALL_FAILED];

describe("the condition of a host", () => {
  test("is exactly one of the six of the summary", () => {
    for (const each of ALL) expect(HOST_CONDITIONS.filter(({ has }) => has(each))).toHaveLength(1);
  });

  test("is ok for a gray host that reports but has no services", () => {
    expect(HOST_CONDITIONS.find(({ has }) => has(WITHOUT_SERVICES))?.key).toBe("ok");
  });

  test("is ignored for an ignored host that does not report", () => {
    expect(HOST_CONDITIONS.find(({ has }) => has(IGNORED))?.key).toBe("ignored");
  });

  test("orders hosts worst first, then by name", () => {
    expect(ALL.toSorted(worstFirst).map(({ hostname }) => hostname)).toEqual([
      "down",
      "broken",
      "limping",
      "empty",
      "fine",
      "stopped",
      "ignored",
    ]);
  });
});

describe("the filter of hosts", () => {
  const names = (filter: Partial<Parameters<typeof filterHosts>[1]>) =>
    filterHosts(ALL, { text: "", led: "", state: "", ...filter }).map(({ hostname }) => hostname);

  test("lets everything pass when it is empty", () => {
    expect(names({})).toHaveLength(ALL.length);
  });

  test("wants every word in name or status, in any case", () => {
    expect(names({ text: "FINE available" })).toEqual(["fine"]);
    expect(names({ text: "fine nowhere" })).toEqual([]);
  });

  test("takes light and condition together", () => {
    expect(names({ led: "0" })).toEqual(["down", "broken"]);
    expect(names({ led: "0", state: "failed" })).toEqual(["down"]);
  });

  test("ignores a condition that does not exist", () => {
    expect(names({ state: "nonsense" })).toHaveLength(ALL.length);
  });
});
