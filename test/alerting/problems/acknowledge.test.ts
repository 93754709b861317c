import { beforeEach, describe, expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { expectRefusal } from "../../support/stored.ts";
import { Alerting, fails, type Input, type Line, ledger, pass, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;

const activeIds = ({ app }: Alerting) =>
  app.rows<{ id: number }>("select id from events where active = true").map(({ id }) => id);

/** Acknowledges all open failures. @param after seconds until it ends; without it, until they recover */
const acknowledged =
  (after?: number, note = ""): Input =>
  async (alerting) => {
    const until = after === undefined ? "" : alerting.app.clock.now() + after;
    await alerting.call("problems/acknowledge", { id: activeIds(alerting), until, note });
  };
const unacknowledged: Input = (alerting) =>
  alerting.call("problems/unacknowledge", { id: activeIds(alerting) });
const dismissed: Input = (alerting) => alerting.call("reports/events/dismiss", { id: activeIds(alerting) });
const undismissed: Input = (alerting) =>
  alerting.call("reports/events/undismiss", { id: activeIds(alerting) });
const restarted: Input = (alerting) => alerting.restart();

/** A rule with reminders and an escalation to a second channel. */
const prepare =
  (fields = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    alerting.channel("boss");
    await alerting.rule({ repeat: 10, flapcount: 0, ...escalating([1], 30, 2), ...fields });
    await alerting.report();
  };

describe("an acknowledged failure", () => {
  ledger("reminds nobody and does not escalate, and its recovery triggers a message", prepare(), [
    ["it is told", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    [
      "before: a reminder",
      pass(10 * MINUTE + 5),
      ["@610 mail reminder: Ongoing for 10m 10s: web on host-1: is gone"],
    ],
    ["somebody takes it", acknowledged(), []],
    ["during: no reminder, no escalation", pass(3 * HOUR), []],
    ["a restart changes nothing", restarted, []],
    ["", pass(HOUR), []],
    ["the end is told", recovers(), []],
    ["", pass(5), ["@15015 mail recovery: Recovered after 4h 10m: web on host-1: is gone"]],
    ["a new failure does not inherit it", fails(), []],
    ["", pass(5), ["@15020 mail problem: web on host-1: is gone"]],
    ["", pass(10 * MINUTE + 5), ["@15625 mail reminder: Ongoing for 10m 10s: web on host-1: is gone"]],
  ]);

  ledger(
    "before anybody was told is told when the time is over, if it lasts",
    prepare({ delay: 5 }),
    [
      ["", fails(), []],
      ["", acknowledged(HOUR), []],
      ["", pass(HOUR - 1), []],
      ["a restart changes nothing", restarted, []],
      [
        "the end: told at once, also to those of the escalation",
        pass(1),
        ["@3600 mail problem: web on host-1: is gone", "@3600 boss problem: web on host-1: is gone"],
      ],
    ],
    [""],
  );

  ledger(
    "that recovers meanwhile is never told",
    prepare(),
    [
      ["", fails(), []],
      ["", acknowledged(HOUR), []],
      ["", pass(MINUTE), []],
      ["recovery inside", recovers(), []],
      ["", pass(2 * HOUR), []],
    ],
    ["acknowledged by admin"],
  );

  ledger("triggers reminders again once it is unacknowledged", prepare({ ...notifying(1) }), [
    ["", fails(), []],
    ["", acknowledged(), []],
    ["", pass(20 * MINUTE), []],
    ["", unacknowledged, []],
    ["", pass(1), ["@1201 mail problem: web on host-1: is gone"]],
  ]);

  ledger(
    "of a service that flaps is told of at once when the time is over, too",
    prepare({ flapcount: 2, flapwindow: 60, ...notifying(1) }),
    [
      ["", fails(), []],
      ["", pass(4), []],
      ["", recovers(), []],
      ["", pass(1), []],
      ["", fails(), []],
      ["it flaps", pass(5), ["@10 mail flapping: Flapping: web on host-1: is gone"]],
      ["", acknowledged(15 * MINUTE), []],
      ["no reminder", pass(15 * MINUTE - 1), []],
      ["", pass(1), ["@910 mail reminder: Ongoing for 15m 5s: web on host-1: is gone"]],
    ],
  );

  ledger("stays so when its agent repeats the error", prepare(), [
    ["", fails(), []],
    ["", acknowledged(), []],
    ["", pass(MINUTE), []],
    ["", fails(), []],
    ["", pass(3 * HOUR), []],
  ]);

  ledger("ends at a new time when it is acknowledged again", prepare({ delay: 1 }), [
    ["", fails(), []],
    ["", acknowledged(9 * HOUR), []],
    ["", pass(MINUTE), []],
    ["", acknowledged(MINUTE), []],
    ["", pass(MINUTE), ["@120 mail problem: web on host-1: is gone"]],
  ]);

  ledger(
    "is another one once a late success shows that it ended in between",
    prepare({ repeat: 0, ...notifying(1) }),
    [
      ["", fails(), []],
      ["", acknowledged(), []],
      ["", pass(10 * MINUTE), []],
      ["taken for the same failure", fails(), []],
      ["", pass(MINUTE), []],
      ["the success of five minutes ago", recovers({ collectedSec: START + 5 * MINUTE }), []],
      ["nobody takes care of the second failure", pass(5), ["@661 mail problem: web on host-1: is gone"]],
      [
        "",
        ({ app }) =>
          expect(app.rows("select ended_at from acknowledgements")).toEqual([
            { ended_at: START + 5 * MINUTE },
          ]),
        [],
      ],
    ],
  );

  const told: Line[] = [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ];
  /** Without reminders and escalations. */
  const once = { repeat: 0, ...notifying(1) };

  ledger("that was reported before triggers one message when the time is over, if it lasts", prepare(once), [
    ...told,
    ["", acknowledged(HOUR), []],
    ["", pass(HOUR - 1), []],
    ["a restart changes nothing", restarted, []],
    ["", pass(1), ["@3605 mail reminder: Ongoing for 1h: web on host-1: is gone"]],
    ["", pass(3 * HOUR), []],
    ["the end is told", recovers(), []],
    ["", pass(5), ["@14410 mail recovery: Recovered after 4h: web on host-1: is gone"]],
  ]);

  ledger(
    "that was reported before triggers a message again when it is unacknowledged, and a mute delays that",
    prepare(once),
    [
      ...told,
      ["", acknowledged(), []],
      ["", pass(MINUTE), []],
      ["", unacknowledged, []],
      ["", pass(1), ["@66 mail reminder: Ongoing for 1m 6s: web on host-1: is gone"]],
      ["acknowledged anew", acknowledged(), []],
      ["", (alerting) => alerting.call("mutes/create", { filter: { hosts: [1] }, minutes: 10 }), []],
      ["", unacknowledged, []],
      ["", pass(10 * MINUTE - 1), []],
      ["", pass(1), ["@666 mail reminder: Ongoing for 11m 6s: web on host-1: is gone"]],
      ["", pass(HOUR), []],
    ],
  );

  ledger(
    "that is acknowledged again before anything was told is told when the last of these is over",
    prepare(once),
    [
      ...told,
      ["", acknowledged(MINUTE), []],
      ["", pass(30), []],
      ["", acknowledged(MINUTE), []],
      ["", pass(59), []],
      ["", pass(1), ["@95 mail reminder: Ongoing for 1m 35s: web on host-1: is gone"]],
    ],
  );

  ledger(
    "is told again to those of the first step, and then to those of a step that fell into it",
    prepare({ repeat: 0 }),
    [
      ...told,
      ["", acknowledged(HOUR), []],
      [
        "",
        pass(HOUR + 1),
        [
          "@3605 mail reminder: Ongoing for 1h: web on host-1: is gone",
          "@3606 boss escalation: Escalated after 1h: web on host-1: is gone",
        ],
      ],
    ],
  );

  ledger(
    "that was told before is told again once a late success shows that it ended in between",
    prepare(once),
    [
      ...told,
      ["", acknowledged(), []],
      ["", pass(10 * MINUTE), []],
      ["taken for the same failure", fails(), []],
      ["the success of five minutes ago", recovers({ collectedSec: START + 5 * MINUTE }), []],
      ["", pass(1), ["@606 mail reminder: Ongoing for 10m 6s: web on host-1: is gone"]],
    ],
  );

  ledger(
    "of a service that flaps is over with its failure, and the next one is suppressed",
    prepare({ ...once, flapcount: 2, flapwindow: 60 }),
    [
      ["", fails(), []],
      ["", pass(4), []],
      ["", recovers(), []],
      ["", pass(1), []],
      ["", fails(), []],
      ["it flaps", pass(5), ["@10 mail flapping: Flapping: web on host-1: is gone"]],
      ["", acknowledged(), []],
      ["", pass(1), []],
      ["", recovers(), []],
      ["", pass(1), []],
      ["", fails(), []],
      ["", pass(10 * MINUTE), []],
    ],
  );

  ledger("is deleted with its host", prepare(), [
    ["", fails(), []],
    ["", acknowledged(), []],
    ["deletion", (alerting) => alerting.admin.post("/api/1/admin/hosts/delete", { id: 1 }), []],
    ["", ({ app }) => expect(app.rows("select * from acknowledgements")).toEqual([]), []],
    ["", pass(HOUR), []],
  ]);

  ledger("that was dismissed triggers a message again after an undo", prepare({ ...notifying(1) }), [
    ["", fails(), []],
    ["", (alerting) => alerting.call("reports/events/dismiss", { id: 1 }), []],
    ["", pass(20 * MINUTE), []],
    ["", (alerting) => alerting.call("reports/events/undismiss", { id: 1 }), []],
    ["", pass(1), ["@1201 mail problem: web on host-1: is gone"]],
  ]);
});

describe("a dismissed failure", () => {
  const once = { repeat: 0, ...notifying(1) };

  ledger("does not silence the next one, however soon that begins", prepare({ ...notifying(1) }), [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", dismissed, []],
    ["no reminder", pass(20 * MINUTE), []],
    ["", recovers(), []],
    ["before anybody is told", pass(1), []],
    ["", fails(), []],
    ["", pass(MINUTE), ["@1210 mail reminder: Ongoing for 20m 10s: web on host-1: is gone"]],
  ]);

  ledger("triggers a message after an undo though its agent repeated the error", prepare(once), [
    ["", fails(), []],
    ["", dismissed, []],
    ["", pass(MINUTE), []],
    ["", fails(), []],
    ["the repeated one is dismissed, too", pass(MINUTE), []],
    ["", undismissed, []],
    ["", pass(1), ["@121 mail problem: web on host-1: is gone"]],
  ]);

  ledger("is another one once a late success shows that it ended in between", prepare(once), [
    ["", fails(), []],
    ["", dismissed, []],
    ["", pass(10 * MINUTE), []],
    ["taken for the same failure", fails(), []],
    ["", pass(MINUTE), []],
    ["the success of five minutes ago", recovers({ collectedSec: START + 5 * MINUTE }), []],
    ["nobody has seen the second failure", pass(5), ["@661 mail problem: web on host-1: is gone"]],
    [
      "",
      ({ app }) =>
        expect(app.rows("select dismissed from events where active = true")).toEqual([{ dismissed: 0 }]),
      [],
    ],
  ]);
});

describe("who takes care of a failure", () => {
  let alerting: Alerting;
  /** Of each event of the list, newest first. */
  const acknowledgements = async (fields = {}): Promise<unknown[]> => {
    const { json } = await alerting.admin.get("/api/1/reports/events/list", fields);
    return json.records.map(({ acknowledged }: { acknowledged: unknown }) => acknowledged);
  };
  const refused = (fields: Fields) =>
    expectRefusal(
      alerting.app,
      () => alerting.admin.post("/api/1/problems/acknowledge", fields),
      400,
      "argument.invalid",
    );

  beforeEach(async () => {
    alerting = await Alerting.create();
    await alerting.report();
    await fails()(alerting);
  });

  test("is shown with the event, and the note among its notes, until the failure ends", async () => {
    const args = { id: 1, note: "disk ordered", until: START + 20 * MINUTE };
    expect((await alerting.admin.post("/api/1/problems/acknowledge", args)).json).toEqual({});
    const shown = { uname: "admin", date: START, until: START + 20 * MINUTE, note: "disk ordered" };
    expect((await acknowledgements())[0]).toEqual(shown);
    const { json } = await alerting.admin.get("/api/1/reports/events/get", { id: 1 });
    expect([json.acknowledged, json.note]).toEqual([
      shown,
      [{ date: START, uname: "admin", message: "disk ordered" }],
    ]);
    alerting.app.clock.step(20 * MINUTE - 1);
    expect((await acknowledgements())[0]).toEqual(shown);
    alerting.app.clock.step(1);
    expect((await acknowledgements())[0]).toBeNull();
  });

  test("is shown with the event that repeats the error, and no longer after its recovery", async () => {
    await acknowledged()(alerting);
    alerting.app.clock.step(MINUTE);
    await fails()(alerting);
    const shown = { uname: "admin", date: START, until: null, note: "" };
    expect(await acknowledgements({ active: 1 })).toEqual([shown]);
    expect(await acknowledgements()).toEqual([shown, null]);
    alerting.app.clock.step(MINUTE);
    await recovers()(alerting);
    expect(await acknowledgements()).toEqual([null, null, null]);
  });

  test("may be any user, whom the last one replaces", async () => {
    const user = await alerting.app.user();
    await acknowledged(HOUR, "mine")(alerting);
    expect((await user.post("/api/1/problems/acknowledge", { id: 1 })).status).toBe(200);
    expect((await acknowledgements())[0]).toEqual({ uname: "user", date: START, until: null, note: "" });
  });

  test("is refused for what does not fail, and with an end that is past", async () => {
    await recovers()(alerting);
    expect((await refused({ id: 2 })).json.error).toStartWith("id must be");
    await fails({ service: "db" })(alerting);
    expect((await refused({ id: [3, 2] })).json.error).toStartWith("id must be");
    expect((await refused({ id: 3, until: START })).json.error).toStartWith("until must be");
    expect((await refused({ id: 3, until: START + 400 * 86_400 })).json.error).toStartWith("until must be");
    expect((await alerting.admin.post("/api/1/problems/acknowledge", { id: 99 })).status).toBe(404);
    expect(alerting.app.rows("select * from acknowledgements")).toEqual([]);
  });
});
