import { expect, test } from "bun:test";
import { FirstMoves } from "../../../src/alerting/incidents/first-moves.service.ts";
import { type FirstMove, movedLine } from "../../../src/alerting/notifications/moved-text.ts";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import type { Turn } from "../../../src/platform/http/turn.ts";
import { events } from "../../../src/platform/storage/schema.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Alerting } from "../notifications/support.ts";

const CHANGED = 2;
const PID = 262_144;

async function setUp(): Promise<Alerting> {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  await alerting.rule({ ...notifying(1), flapcount: 0 });
  await alerting.report();
  alerting.app.muster.firstMoves.step();
  return alerting;
}

/** A change of one service, and a failure of another one ten seconds later. */
async function failAfterChange(alerting: Alerting): Promise<void> {
  await alerting.event({ service: "cron", state: CHANGED, id: PID, message: "pid\nchanged" });
  await alerting.pass(10);
  await alerting.event({ state: 1, message: "is gone", collectedSec: alerting.app.clock.now() });
}

const texts = ({ arrived }: Alerting) =>
  arrived.filter(({ message }) => message.title.includes("is gone")).map(({ message }) => message.text);

test("a message about a failure names what moved first on its host, in one line", async () => {
  const alerting = await setUp();
  await failAfterChange(alerting);
  alerting.app.muster.firstMoves.step();
  await alerting.app.muster.firstMoves.idle();
  await alerting.pass(6);
  const [text = ""] = texts(alerting);
  expect(text.split("\n").filter((line) => line.startsWith("Moved first"))).toEqual([
    "Moved first: 12:00 cron: pid changed",
  ]);
});

test("a message is sent without the line if what moved is not known by then, or cannot be found out", async () => {
  const late = await setUp();
  await failAfterChange(late);
  await late.pass(6);
  expect(texts(late)).toHaveLength(1);
  expect(texts(late)[0]).not.toContain("Moved first");

  const failing = await setUp();
  const { db, muster, clock } = failing.app;
  const queries = { incidentFirstMoves: () => Promise.reject(new Error("busy")) };
  const moves = new FirstMoves({ db, clock, log: muster.log, queries });
  moves.step();
  await failAfterChange(failing);
  moves.step();
  await moves.idle();
  expect(moves.of(2)).toEqual([]);
  expect(failing.app.logged.join("\n")).toContain("what moved before a failure is not known");
});

test("of many alerts at once, only fresh ones are looked at, and a second search waits for the first", async () => {
  const alerting = await setUp();
  const { db, muster, clock } = alerting.app;
  const asked: number[] = [];
  let answer: () => void = () => undefined;
  const queries = {
    incidentFirstMoves: async (_turn: Turn, id: number) => {
      asked.push(id);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return Promise.reject(new Error("nothing"));
    },
  };
  const moves = new FirstMoves({ db, clock, log: muster.log, queries });
  moves.step();
  await alerting.event({ state: 1, message: "first" });
  alerting.app.clock.step(40);
  await alerting.event({ service: "db", state: 1, message: "second" });
  moves.step();
  await alerting.event({ service: "cache", state: 1, message: "third" });
  moves.step();
  const idOf = (message: string) =>
    alerting.app.rows<{ id: number }>(`select id from events where message = '${message}'`)[0]?.id ?? 0;
  expect(asked).toEqual([idOf("second")]);
  answer();
  await moves.idle();
  moves.step();
  expect(asked).toEqual([idOf("second"), idOf("third")]);
  answer();
  await moves.idle();
});

test("alerts that are about no failure are read once, however many there are", async () => {
  const alerting = await setUp();
  const { db, muster, clock } = alerting.app;
  const asked: number[] = [];
  const queries = {
    incidentFirstMoves: (_turn: Turn, id: number) => {
      asked.push(id);
      return Promise.reject(new Error("nothing"));
    },
  };
  const moves = new FirstMoves({ db, clock, log: muster.log, queries });
  moves.step();
  await alerting.event({ service: "cron", state: CHANGED, id: PID, message: "pid changed" });
  moves.step();
  // It would be found now.
  db.update(events).set({ state: 1 }).run();
  moves.step();
  expect(asked).toEqual([]);
});

test("the line joins ties by and, the rest by then, and names three", () => {
  const metric = { type: 18, descriptor: "", of: "level", from: 61.2, to: 94.5 } as const;
  const event = { type: null, descriptor: "", of: null, from: null, to: null } as const;
  const moves: FirstMove[] = [
    { ...metric, date: START, tie: 1, servicename: "data", what: "space usage" },
    { ...event, date: START, tie: 1, servicename: "cron", what: "PID\u202e changed" },
    { ...metric, of: "spread", date: START + 60, tie: 2, servicename: "", what: "space usage" },
    { ...event, date: START + 90, tie: 3, servicename: "late", what: "left out" },
  ];
  const clean = (text: string) => text.replace("\u202e", "");
  expect(movedLine(moves, "Europe/Oslo", clean)).toBe(
    "Moved first: 13:00 data: space usage (61.2 % to 94.5 %) and 13:00 cron: PID changed, " +
      "then 13:01 space usage (varies by 94.5 %, previously by 61.2 %)",
  );
  expect(movedLine([], "UTC", clean)).toBe("");
});

test("the line has values in units that show the change, and says which of several metrics moved", () => {
  const text = (type: number, from: number, to: number, descriptor = "") => {
    const move = {
      date: START,
      tie: 1,
      servicename: "",
      what: "",
      type,
      descriptor,
      of: "level",
      from,
      to,
    } as const;
    return movedLine([move], "UTC", (name) => name).replace(/^Moved first: 12:00 /, "");
  };
  expect(text(STATISTIC.portResponse.code, 0.0021, 1.25, "db:5432")).toBe(
    "port response time db:5432 (2.1 ms to 1.25 s)",
  );
  expect(text(STATISTIC.linkState.code, 1, 0)).toBe("link state (up to down)");
  expect(text(152, 2_097_152, 1024)).toEndWith("(2 MiB/s to 1 KiB/s)");
});
