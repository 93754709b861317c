import { BOOT, ledger, pass, send, update } from "../../support/ledger.ts";

const WEB = { name: "web" };
const OK = "All 1 services are available";
const silent = (last: string) => `No report from Monit. Last report was 2026-01-05 ${last} UTC`;

ledger("a host is silent once skew x poll seconds have passed since its last message", [
  ["first message", send({ services: [WEB] }), { status: 0, heartbeat: 1, led: 2, text: OK }],
  ["90 s are 3 cycles of 30 s: not late yet", pass(90), {}],
  [
    "late by a second",
    pass(1),
    {
      status: 1,
      heartbeat: 0,
      led: 0,
      text: silent("12:00:00"),
      events: ["error 1048576 Monit @91"],
      down: ["1048576 Monit 91.."],
      active: ["1048576 Monit @91"],
    },
  ],
  ["silence goes on: no second event", pass(300), {}],
  [
    "the next message brings it back",
    send({ services: [WEB] }),
    {
      status: 0,
      heartbeat: 1,
      led: 2,
      text: OK,
      events: ["success 1048576 Monit @391"],
      down: ["1048576 Monit 91..391"],
      active: [],
    },
  ],
  ["and gives it its full time again", pass(90), {}],
  [
    "late again",
    pass(1),
    {
      status: 1,
      heartbeat: 0,
      led: 0,
      text: silent("12:06:31"),
      events: ["error 1048576 Monit @482"],
      down: ["1048576 Monit 91..391", "1048576 Monit 482.."],
      active: ["1048576 Monit @482"],
    },
  ],
]);

const DOWN = (at: number, last: string) => ({
  status: 1,
  heartbeat: 0,
  led: 0,
  text: silent(last),
  events: [`error 1048576 Monit @${at}`],
  down: [`1048576 Monit ${at}..`],
  active: [`1048576 Monit @${at}`],
});

ledger("the waiting time follows the agent's poll cycle", [
  ["a cycle of 5 s", send({ poll: 5, services: [WEB] }), { status: 0, heartbeat: 1, led: 2, text: OK }],
  ["15 s", pass(15), {}],
  ["the agent now polls every 60 s", send({ poll: 60, services: [WEB] }), {}],
  ["180 s", pass(180), {}],
  ["and one more", pass(1), DOWN(196, "12:00:15")],
]);

ledger("the waiting time follows the administrator's skew at once", [
  ["first message", send({ services: [WEB] }), { status: 0, heartbeat: 1, led: 2, text: OK }],
  ["10 cycles", update({ skew: 10 }), {}],
  ["300 s", pass(300), {}],
  ["and one more", pass(1), DOWN(301, "12:00:00")],
]);

ledger("the waiting time of a later message keeps the administrator's skew", [
  ["first message", send({ services: [WEB] }), { status: 0, heartbeat: 1, led: 2, text: OK }],
  ["1 cycle", update({ skew: 1 }), {}],
  ["25 s", pass(25), {}],
  ["second message", send({ services: [WEB] }), {}],
  ["30 s", pass(30), {}],
  ["and one more", pass(1), DOWN(56, "12:00:25")],
]);

ledger("a host that reports no services still counts as reporting", [
  ["no services", send(), { status: 0, heartbeat: 1, led: 3, text: "No services" }],
  ["in time", pass(60), {}],
  ["again", send(), {}],
  ["90 s later", pass(90), {}],
  ["too late", pass(1), DOWN(151, "12:01:00")],
]);

ledger("a message of an older incarnation counts as a report too", [
  ["first message", send({ services: [WEB] }), { status: 0, heartbeat: 1, led: 2, text: OK }],
  ["silence", pass(91), DOWN(91, "12:00:00")],
  [
    "return",
    send({ incarnation: BOOT - 500, services: [WEB] }),
    {
      status: 0,
      heartbeat: 1,
      led: 2,
      text: OK,
      events: ["success 1048576 Monit @91"],
      down: [],
      active: [],
    },
  ],
]);
