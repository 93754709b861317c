import { describe, expect, test } from "bun:test";
import type { AlertKind } from "../../../src/alerting/notifications/decide.ts";
import { groupPending, type PendingAlert } from "../../../src/alerting/notifications/grouping.ts";
import { HEARTBEAT } from "../../../src/monit/event-types.ts";

const NOW = 1000;
const GONE = 512;

function pending(since: number, kind: AlertKind = "problem", eventType = GONE): PendingAlert {
  return { eventType, sending: { action: "send", kind, steps: [0], since, after: null, dueAt: null } };
}

const nothing = () => [];

describe("what is to be sent of a rule", () => {
  test("waits five seconds for others, and a minute where a host is down", () => {
    const [service, host] = [pending(NOW - 4), pending(NOW - 59, "problem", HEARTBEAT)];
    expect(groupPending([service, host], nothing, NOW)).toEqual({
      ready: [],
      held: [
        { pending: service, until: NOW + 1 },
        { pending: host, until: NOW + 1 },
      ],
    });
  });

  test("goes out together once the first has waited long enough", () => {
    const [first, second] = [pending(NOW - 5), pending(NOW - 1)];
    expect(groupPending([second, first], nothing, NOW)).toEqual({
      ready: [{ kind: "problem", members: [second, first] }],
      held: [],
    });
  });

  test("is apart by kind, and hosts that are down are apart from their services", () => {
    const [service, host] = [pending(NOW - 60), pending(NOW - 60, "problem", HEARTBEAT)];
    const [recovery, fresh] = [pending(NOW - 60, "recovery"), pending(NOW, "change")];
    expect(groupPending([service, host, recovery, fresh], nothing, NOW)).toEqual({
      ready: [
        { kind: "problem", members: [service] },
        { kind: "problem", members: [host] },
        { kind: "recovery", members: [recovery] },
      ],
      held: [{ pending: fresh, until: NOW + 5 }],
    });
  });

  test("takes along what is due soon and of the same kind, which is asked for only then", () => {
    const [soon, other] = [pending(NOW - 2), pending(NOW - 2, "recovery")];
    const asked: number[] = [];
    const waiting = (seconds: number) => {
      asked.push(seconds);
      return [soon, other];
    };
    expect(groupPending([pending(NOW)], waiting, NOW).ready).toEqual([]);
    expect(asked).toEqual([]);
    const first = pending(NOW - 5);
    expect(groupPending([first], waiting, NOW)).toEqual({
      ready: [{ kind: "problem", members: [first, soon] }],
      held: [],
    });
    expect(asked).toEqual([5]);
  });
});
