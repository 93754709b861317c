import { expect, test } from "bun:test";
import type { EventRecord } from "../../../web/api/types.ts";
import { withoutRecoveries } from "../../../web/events/event-table.tsx";
import { problemSince } from "../../../web/events/problem-list.tsx";

const FAILURE = { hostid: 1, servicename: "web", eventtype: 1, date: 100, since: 100, ended: 400 };
const RECOVERY = { ...FAILURE, eventtype: 0, date: 400, since: 0, ended: 0 };

const rowsOf = (...rows: object[]) => withoutRecoveries(rows as EventRecord[]);

test("a recovery is left out where its failure is in the list", () => {
  expect(rowsOf(RECOVERY, FAILURE)).toEqual([FAILURE as EventRecord]);
  expect(rowsOf(RECOVERY)).toHaveLength(1);
});

test("recoveries of other hosts, services and failures stay", () => {
  const ongoing = { ...FAILURE, ended: 0 };
  for (const other of [{ hostid: 2 }, { servicename: "db" }, { date: 401 }])
    expect(rowsOf({ ...RECOVERY, ...other }, FAILURE)).toHaveLength(2);
  expect(rowsOf(RECOVERY, ongoing)).toHaveLength(2);
  expect(rowsOf({ ...RECOVERY, eventtype: 2 }, FAILURE)).toHaveLength(2);
});

test("an outage begins with the last report, another problem with its event", () => {
  const outage =
    "No report from Monit for 91 seconds: the network, the host or Monit is down. Last report was x";
  const event = { servicename: "Monit", event: outage, since: 1000, date: 1500 };
  expect(problemSince(event)).toBe(909);
  expect(problemSince({ ...event, servicename: "web" })).toBe(1000);
  expect(problemSince({ ...event, since: 0, event: "Monit 5.33 started" })).toBe(1500);
});
