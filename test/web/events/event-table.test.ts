import { expect, test } from "bun:test";
import type { EventRecord } from "../../../web/api/types.ts";
import { withoutRecoveries } from "../../../web/events/event-table.tsx";
import { problemSince, problemText } from "../../../web/events/problem-list.tsx";
import { formatClock } from "../../../web/text/format.ts";

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

test("an outage begins when the host is declared down, as its downtime does, and says when it last reported", () => {
  const outage =
    "No report from Monit for 91 seconds: the network, the host or Monit is down. Last report was x";
  const event = { servicename: "Monit", event: outage, since: 1000, date: 1500 };
  expect(problemSince(event)).toBe(1000);
  expect(problemText({ ...event, active: 1 }, 2000)).toStartWith(`No report since ${formatClock(909)} `);
  expect(problemText({ ...event, active: 0 }, 2000)).not.toContain("since");
  expect(problemText({ ...event, active: 1, servicename: "web" }, 2000)).toBe(outage);
  expect(problemSince({ since: 0, date: event.date })).toBe(1500);
});
