import { describe, expect, test } from "bun:test";
import { type EventFilter, type EventSubject, matches } from "../../../src/alerting/rules/event-filter.ts";
import { matchesName, patternOf } from "../../../src/platform/name-pattern.ts";

/** A failure of the process "web" on host 1, of host groups 3 and 4. */
const FAILURE: EventSubject = {
  hostId: 1,
  hostGroupIds: [3, 4],
  tags: ["env=prod", "role=db"],
  serviceName: "web",
  serviceGroups: ["frontend"],
  serviceType: 3,
  eventType: 512,
  state: 1,
  severity: 0,
};

describe("an event", () => {
  const CASES: readonly [what: string, filter: EventFilter, taken: boolean][] = [
    ["without conditions", {}, true],
    ["of its host", { hosts: [9, 1] }, true],
    ["of another host", { hosts: [9] }, false],
    ["of one of its host groups", { hostgroups: [4] }, true],
    ["of another host group", { hostgroups: [1] }, false],
    ["of a tag of its host", { tags: ["env"] }, true],
    ["of another tag", { tags: ["env=test"] }, false],
    ["of two tags of which its host has one", { tags: ["env=prod", "rack=1"] }, false],
    ["of its host and another tag", { hosts: [1], tags: ["rack"] }, false],
    ["of its host and another host group", { hosts: [1], hostgroups: [1] }, false],
    ["of its service", { servicenames: ["db", "web"] }, true],
    ["of a service in another case", { servicenames: ["Web"] }, false],
    ["of services that begin as its own", { servicenames: ["w*"] }, true],
    ["of its service group", { servicegroups: ["frontend"] }, true],
    ["of another service group", { servicegroups: ["front"] }, false],
    ["of its service type", { servicetypes: [0, 3] }, true],
    ["of service type 0", { servicetypes: [0] }, false],
    ["of its event type and another one", { eventtypes: 512 + 32 }, true],
    ["of another event type", { eventtypes: 32 }, false],
    ["of every event type", { eventtypes: 0 }, true],
    ["of changes", { states: [2] }, false],
    ["of errors and successes", { states: [0, 1] }, true],
  ];
  for (const [title, filter, taken] of CASES)
    test(`is ${taken ? "" : "not "}taken by a filter ${title}`, () => {
      expect(matches(filter, FAILURE)).toBe(taken);
    });

  test("that is a change is taken unless the filter says otherwise, a success only if it says so", () => {
    const taken = (filter: EventFilter) =>
      [0, 1, 2].filter((state) => matches(filter, { ...FAILURE, state }));
    expect(taken({})).toEqual([1, 2]);
    expect(taken({ states: [0] })).toEqual([0]);
  });
});

describe("in a name * stands for any characters, also none:", () => {
  const CASES: readonly [pattern: string, name: string, fits: boolean][] = [
    ["*", "", true],
    ["*", "anything", true],
    ["web*", "web", true],
    ["web*", "webs", true],
    ["web*", "cobweb", false],
    ["*web", "cobweb", true],
    ["*web", "webs", false],
    ["w*b", "web", true],
    ["w*b", "wb", true],
    ["w*b", "w", false],
    ["a*a", "a", false],
    ["ab*ba", "aba", false],
    ["a*b*c", "a-b-c", true],
    ["a*b*c", "acb", false],
    ["a*bc*bc", "abc", false],
    ["**", "x", true],
    ["w.b", "web", false],
    ["w?b", "web", false],
    ["a\\*b", "a*b", true],
    ["a\\*b", "a-b", false],
    ["a\\*b*", "a*b-c", true],
    ["*\\**", "a*b", true],
    ["*\\**", "ab", false],
    ["a\\\\*b", "a\\-b", true],
    ["a\\\\*b", "a*b", false],
    ["a\\b", "a\\b", true],
    ["a\\b*\\", "a\\b-\\", true],
  ];
  for (const [pattern, name, fits] of CASES)
    test(`"${pattern}" is ${fits ? "" : "not "}"${name}"`, () => {
      expect(matchesName(pattern, name)).toBe(fits);
    });

  test("the pattern of a name is matched by that alone", () => {
    const names = ["a*b", "a-b", "a\\*b", "a\\-b", "a\\\\*b", "a\\b", "**", "*", "\\"];
    for (const name of names)
      expect(names.filter((other) => matchesName(patternOf(name), other))).toEqual([name]);
  });

  // Trying every way in which 120 of them can fit would never end.
  test("a pattern full of them is decided", () => {
    expect(matchesName(`${"a*".repeat(120)}b`, "a".repeat(255))).toBe(false);
  });
});
