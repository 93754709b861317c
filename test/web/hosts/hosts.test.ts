import { describe, expect, test } from "bun:test";
import type { HostStatus } from "../../../web/api/types.ts";
import { filterHosts } from "../../../web/hosts/host-filters.tsx";
import { worstFirst } from "../../../web/hosts/host-order.ts";
import { rowsOf, sectionsOf } from "../../../web/hosts/host-sections.ts";
import { formatClock, formatDate } from "../../../web/text/format.ts";
import { HOST_CONDITIONS } from "../../../web/text/host-conditions.ts";
import { hostLed, hostLedText, hostWords, serviceWords } from "../../../web/text/status-words.ts";

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
    muted: null,
    tags: [],
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

  test("is what its light says: down, or OK without services, as it is counted", () => {
    expect(hostLedText(DOWN)).toBe("Down");
    expect(hostLedText(ALL_FAILED)).toBe("Failing");
    const empty = { ...WITHOUT_SERVICES, services: 0 };
    expect([hostLed(empty), hostLedText(empty)]).toEqual([2, "OK"]);
    for (const silent of [STOPPED, IGNORED]) expect(hostLedText({ ...silent, services: 0 })).toBe("No data");
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
    filterHosts(ALL, { text: "", led: "", state: "", ...filter }, (host) => hostWords(host, 0)).map(
      ({ hostname }) => hostname,
    );

  test("lets everything pass when it is empty", () => {
    expect(names({})).toHaveLength(ALL.length);
  });

  test("finds hosts by what they have, word by word", () => {
    const named = (text: string) =>
      filterHosts(
        ALL,
        { text, led: "", state: "" },
        (host) => hostWords(host, 0),
        (part, id) => part === "nginx" && id === ALL[0]?.id,
      );
    expect(named("nginx")).toEqual(ALL.slice(0, 1));
    expect(named(`nginx ${ALL[0]?.hostname}`)).toEqual(ALL.slice(0, 1));
    expect(named("nginx sshd")).toEqual([]);
  });

  test("wants every word in name or status, in any case", () => {
    expect(names({ text: "FINE all ok" })).toEqual(["fine"]);
    expect(names({ text: "fine nowhere" })).toEqual([]);
  });

  test("finds a name however its letters are composed", () => {
    const cafe = host({ hostname: "Cafe\u0301" });
    const found = (text: string) => filterHosts([cafe], { text, led: "", state: "" }, () => "");
    expect(found("CAF\u00c9")).toEqual([cafe]);
    expect(found("cafe\u0301")).toEqual([cafe]);
  });

  test("takes light and condition together", () => {
    expect(names({ led: "0" })).toEqual(["down", "broken"]);
    expect(names({ led: "0", state: "failed" })).toEqual(["down"]);
  });

  test("takes both kinds of problems together", () => {
    expect(names({ state: "problems" })).toEqual(["limping", "broken"]);
  });

  test("ignores a condition that does not exist", () => {
    expect(names({ state: "nonsense" })).toHaveLength(ALL.length);
  });
});

describe("sections", () => {
  const groups = [
    { id: 1, name: "web", hosts: [OK.id, DOWN.id], target: null },
    { id: 2, name: "db", hosts: [DOWN.id, SOME_FAILED.id], target: null },
    { id: 3, name: "empty", hosts: [], target: null },
  ];
  const sections = sectionsOf([DOWN, SOME_FAILED, OK, IGNORED], groups, "none");

  test("have each host in all its groups, in the order given, and the rest at the end", () => {
    expect(
      sections.map(({ name, hosts, down, problems }) => [
        name,
        hosts.map(({ hostname }) => hostname).join(" "),
        down,
        problems,
      ]),
    ).toEqual([
      ["web", "down fine", 1, 0],
      ["db", "down limping", 1, 1],
      ["none", "ignored", 0, 0],
    ]);
  });

  test("that are closed keep their head only", () => {
    const rows = rowsOf(sections, new Set([1, 0]));
    expect(rows.map((row) => ("host" in row ? row.host.hostname : row.section.name))).toEqual([
      "web",
      "db",
      "down",
      "limping",
      "none",
    ]);
  });
});

describe("the state of a host in words", () => {
  const WORDS: readonly [Partial<HostStatus>, string][] = [
    [{}, "All OK (6 services)"],
    [{ services: 1, servicesok: 1 }, "OK (1 service)"],
    [{ led: 1, servicesok: 5 }, "1 of 6 services not OK"],
    [{ led: 0, servicesok: 0 }, "All services failing"],
    [{ led: 1, servicesok: 0 }, "6 of 6 services not OK"],
    [{ led: 3, servicesok: 0 }, "No service is monitored"],
    [{ led: 1, services: 1, servicesok: 0 }, "Its only service is not OK"],
    [{ led: 3, services: 1, servicesok: 0 }, "No service is monitored"],
    [{ led: 3, services: 0, servicesok: 0 }, "No services"],
    [{ statusid: 1, heartbeat: 0, lastmodified: 100 }, `No report since ${formatClock(100)}`],
    [{ statusid: 1, heartbeat: 0, lastmodified: -86_400 }, `No report since ${formatDate(-86_400)}`],
    [{ statusid: 1 }, "Stopped"],
    [{ statusid: 2, heartbeat: 0 }, "Ignored"],
  ];
  for (const [state, words] of WORDS)
    test(`is "${words}" of ${JSON.stringify(state)}`, () => {
      expect(hostWords(host(state), 1270)).toBe(words);
    });
});

describe("the state of a service in words", () => {
  const service = { led: 0 as const, status: "Nonexist", typeid: 3, monitorstate: 1 };

  test("is the agent's message, or else its class in plain words", () => {
    expect(serviceWords(service, true, "process is not running").text).toBe("process is not running");
    expect(serviceWords(service, true).text).toBe("process not running");
    expect(serviceWords({ ...service, typeid: 2 }, true).text).toBe("does not exist");
    expect(serviceWords({ ...service, status: "Resource, Timeout" }, true).text).toBe(
      "resource limit exceeded, timed out",
    );
  });

  test("is unknown and gray while the host does not report, whatever it was before", () => {
    const before = { led: 2 as const, status: "Ok", typeid: 3, monitorstate: 1 };
    expect(serviceWords(before, true)).toEqual({ led: 2, text: "OK" });
    expect(serviceWords(before, false)).toEqual({ led: 3, text: "Unknown" });
  });
});
