/** The life of limits, message by message. Agents report every 30 s; a host counts as down after 90 s. */
import { agentXml, filesystemXml, STARTED, STOPPED } from "../../support/agent-messages.ts";
import { BOOT, type Input, jump, type Line, ledger, pass, send, update } from "../../support/ledger.ts";
import { limitWith } from "../../support/limits.ts";

/** An administrator creates a limit of disk space: a warning above 90 % for a minute, critical above 95 %. */
function limit(changes: object = {}): Input {
  return (app) => {
    const name = `disk ${app.rows("select id from limits").length + 1}`;
    app.muster.statisticLimits.create(limitWith({ name, critical: 95, minutes: 1, ...changes }));
  };
}

const RESOURCE = 2;

/** A message with this disk usage. Without a number it does not report it. */
function diskNow(percent: number | null, service: object = {}, message: object = {}): Input {
  return async (app) => {
    const body = percent === null ? {} : { body: filesystemXml({ percent }) };
    await send({ services: [{ name: "rootfs", type: 0, ...body, ...service }], ...message })(app);
  };
}

/** The same 30 s after the previous one. */
function disk(...args: Parameters<typeof diskNow>): Input {
  return async (app) => {
    app.pass(30);
    await diskNow(...args)(app);
  };
}

const REPORTED = { status: 0, heartbeat: 1, led: 2, text: "All 1 services are available" };
const ORANGE = { led: 1, text: "0 out of 1 services are available" };
const RED = { led: 0, text: "0 out of 1 services are available" };

ledger("a limit is pending, opens, becomes critical, eases, and ends at its clear value", [
  ["a host reports", disk(50), REPORTED],
  ["a limit is made", limit({ clearvalue: 85 }), {}],
  ["@60 above the warning, but not for a minute", disk(92), {}],
  ["@90 still above", disk(91), {}],
  ["@120 below in between: pending begins anew", disk(90), {}],
  ["@150 above again", disk(93), {}],
  ["@180 still above", disk(94), {}],
  [
    "@210 above for a minute",
    disk(96),
    {
      events: ["error 2 rootfs @210 limit 1"],
      down: ["2 rootfs 210.. limit 1"],
      active: ["2 rootfs @210 limit 1"],
      ...ORANGE,
    },
  ],
  ["@240 critical, but not for a minute", disk(96), {}],
  [
    "@270 critical for a minute",
    disk(96),
    {
      events: ["error 2 rootfs @270 limit 1"],
      active: ["2 rootfs @270 limit 1 critical"],
      ...RED,
    },
  ],
  [
    "@300 no longer critical",
    disk(92),
    { events: ["error 2 rootfs @300 limit 1"], active: ["2 rootfs @300 limit 1"], ...ORANGE },
  ],
  ["@330 below the warning, not at the clear value", disk(86), {}],
  [
    "@360 at the clear value",
    disk(85),
    {
      events: ["success 2 rootfs @360 limit 1"],
      down: ["2 rootfs 210..360 limit 1"],
      active: [],
      ...REPORTED,
    },
  ],
]);

ledger("turns in one second keep their order", [
  ["a limit is made", limit({ minutes: 0 }), {}],
  [
    "@30 critical",
    disk(96),
    {
      ...RED,
      status: 0,
      heartbeat: 1,
      events: ["error 2 rootfs @30 limit 1"],
      down: ["2 rootfs 30.. limit 1"],
      active: ["2 rootfs @30 limit 1 critical"],
    },
  ],
  [
    "@30 a warning",
    diskNow(91),
    { events: ["error 2 rootfs @30 limit 1"], active: ["2 rootfs @30 limit 1"], ...ORANGE },
  ],
  ["@30 back", diskNow(50), { events: ["success 2 rootfs @30 limit 1"], down: [], active: [], ...REPORTED }],
  [
    "@30 above again",
    diskNow(91),
    {
      events: ["error 2 rootfs @30 limit 1"],
      down: ["2 rootfs 30.. limit 1"],
      active: ["2 rootfs @30 limit 1"],
      ...ORANGE,
    },
  ],
]);

ledger("a failure ends only after its values were back for the minutes that the limit says", [
  ["a limit is made", limit({ minutes: 0, clearminutes: 1, critical: null }), {}],
  [
    "@30 above at once",
    disk(91),
    {
      ...REPORTED,
      ...ORANGE,
      events: ["error 2 rootfs @30 limit 1"],
      down: ["2 rootfs 30.. limit 1"],
      active: ["2 rootfs @30 limit 1"],
    },
  ],
  ["@60 back", disk(50), {}],
  ["@90 above again", disk(95), {}],
  ["@120 back", disk(50), {}],
  ["@150 back", disk(50), {}],
  [
    "@180 back for a minute",
    disk(50),
    {
      events: ["success 2 rootfs @180 limit 1"],
      down: ["2 rootfs 30..180 limit 1"],
      active: [],
      ...REPORTED,
    },
  ],
]);

const failed = (percent: number) => disk(percent, { status: RESOURCE });
const agentSays = (percent: number, state: number) =>
  disk(
    percent,
    { status: state === 1 ? RESOURCE : 0 },
    { event: { service: "rootfs", id: RESOURCE, state } },
  );

ledger("an agent's own failure of the same service and class stands beside that of the limit", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  [
    "@30 both fail",
    agentSays(97, 1),
    {
      ...REPORTED,
      ...RED,
      events: ["error 2 rootfs @30", "error 2 rootfs @30 limit 1"],
      down: ["2 rootfs 30..", "2 rootfs 30.. limit 1"],
      active: ["2 rootfs @30", "2 rootfs @30 limit 1"],
    },
  ],
  [
    "@60 the agent's success ends the agent's",
    agentSays(97, 0),
    {
      ...ORANGE,
      events: ["success 2 rootfs @60"],
      down: ["2 rootfs 30..60", "2 rootfs 30.. limit 1"],
      active: ["2 rootfs @30 limit 1"],
    },
  ],
  [
    "@90 the agent's fails again",
    agentSays(97, 1),
    {
      ...RED,
      events: ["error 2 rootfs @90"],
      down: ["2 rootfs 30..60", "2 rootfs 30.. limit 1", "2 rootfs 90.."],
      active: ["2 rootfs @30 limit 1", "2 rootfs @90"],
    },
  ],
  [
    "@120 the limit is kept again, and the agent's failure stays",
    failed(50),
    {
      events: ["success 2 rootfs @120 limit 1"],
      down: ["2 rootfs 30..60", "2 rootfs 30..120 limit 1", "2 rootfs 90.."],
      active: ["2 rootfs @90"],
    },
  ],
  [
    "@150 the limit is passed anew",
    failed(97),
    {
      events: ["error 2 rootfs @150 limit 1"],
      down: ["2 rootfs 30..60", "2 rootfs 30..120 limit 1", "2 rootfs 90..", "2 rootfs 150.. limit 1"],
      active: ["2 rootfs @90", "2 rootfs @150 limit 1"],
    },
  ],
  ["@180 a first clear report", disk(97), { ...ORANGE }],
  ["@210 a second", disk(97), {}],
  [
    "@240 three clear reports end the agent's alone",
    disk(97),
    {
      down: ["2 rootfs 30..60", "2 rootfs 30..120 limit 1", "2 rootfs 90..180", "2 rootfs 150.. limit 1"],
      active: ["2 rootfs @150 limit 1"],
    },
  ],
]);

const OPEN = {
  ...REPORTED,
  ...ORANGE,
  events: ["error 2 rootfs @30 limit 1"],
  down: ["2 rootfs 30.. limit 1"],
  active: ["2 rootfs @30 limit 1"],
};
const ENDED = (at: number) => ({
  events: [`success 2 rootfs @${at} limit 1`],
  down: [`2 rootfs 30..${at} limit 1`],
  active: [],
});

ledger("a deleted limit ends its failure at once, and a disabled one too", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  ["@30 above", disk(91), OPEN],
  ["it is deleted", (app) => app.muster.statisticLimits.delete(1), { ...ENDED(30), down: [], ...REPORTED }],
  ["another limit is made", limit({ minutes: 0, critical: null }), {}],
  [
    "@60 above",
    disk(91),
    {
      ...ORANGE,
      events: ["error 2 rootfs @60 limit 2"],
      down: ["2 rootfs 60.. limit 2"],
      active: ["2 rootfs @60 limit 2"],
    },
  ],
  ["@70", pass(10), {}],
  [
    "it is disabled",
    (app) => app.muster.statisticLimits.update({ id: 2, enabled: false }),
    { events: ["success 2 rootfs @70 limit 2"], down: ["2 rootfs 60..70 limit 2"], active: [], ...REPORTED },
  ],
  ["@100 nothing happens", disk(91), {}],
]);

ledger("a service that vanishes or is no longer monitored ends the failure of its limit", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  ["@30 above", disk(91), OPEN],
  [
    "@60 the service is not monitored",
    disk(91, { monitor: 0 }),
    { ...ENDED(60), led: 3, text: "0 out of 1 services are available" },
  ],
  [
    "@90 it is monitored again",
    disk(91),
    {
      ...ORANGE,
      events: ["error 2 rootfs @90 limit 1"],
      down: ["2 rootfs 30..60 limit 1", "2 rootfs 90.. limit 1"],
      active: ["2 rootfs @90 limit 1"],
    },
  ],
  [
    "@120 it vanishes",
    disk(null, { name: "other" }),
    {
      ...REPORTED,
      events: ["success 2 rootfs @120 limit 1"],
      down: ["2 rootfs 30..60 limit 1", "2 rootfs 90..120 limit 1"],
      active: [],
    },
  ],
]);

ledger("missing values keep a failure, and restart what was pending", [
  ["a limit is made", limit({ critical: null }), {}],
  ["@30 above", disk(91), REPORTED],
  ["@60 above", disk(91), {}],
  ["@90 no value", disk(null), {}],
  ["@120 no value", disk(null), {}],
  ["@150 no value for as long as a host may be silent", disk(null), {}],
  ["@180 for longer: it counts as missing", disk(null), {}],
  ["@210 above", disk(91), {}],
  ["@240 above", disk(91), {}],
  [
    "@270 above for a minute",
    disk(91),
    {
      ...ORANGE,
      events: ["error 2 rootfs @270 limit 1"],
      down: ["2 rootfs 270.. limit 1"],
      active: ["2 rootfs @270 limit 1"],
    },
  ],
  ["@300 no value", disk(null), {}],
  ["@330 no value", disk(null), {}],
  ["@360 no value", disk(null), {}],
  ["@390 it counts as missing, and the failure is kept", disk(null), {}],
]);

const DOWN = {
  status: 1,
  heartbeat: 0,
  led: 0,
  text: "No report from Monit. Last report was 2026-01-05 12:03:00 UTC",
};

ledger("missing values end a failure if the limit says so, also those of a host that is down", [
  ["a limit is made", limit({ minutes: 0, critical: null, missing: "clear" }), {}],
  ["@30 above", disk(91), OPEN],
  ["@60 no value", disk(null), {}],
  ["@90 no value", disk(null), {}],
  ["@120 not for longer than 90 s", disk(null), {}],
  ["@150 no value for longer", disk(null), { ...ENDED(150), ...REPORTED }],
  [
    "@180 above",
    disk(91),
    {
      ...ORANGE,
      events: ["error 2 rootfs @180 limit 1"],
      down: ["2 rootfs 30..150 limit 1", "2 rootfs 180.. limit 1"],
      active: ["2 rootfs @180 limit 1"],
    },
  ],
  [
    "@271 the host is down",
    pass(91),
    {
      ...DOWN,
      events: ["error 1048576 Monit @271", "success 2 rootfs @270 limit 1"],
      down: ["2 rootfs 30..150 limit 1", "2 rootfs 180..270 limit 1", "1048576 Monit 271.."],
      active: ["1048576 Monit @271"],
    },
  ],
]);

ledger("missing values open a failure if the limit says so, which ends with the next value", [
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  ["@30 fine", disk(50), REPORTED],
  ["@60 no value", disk(null), {}],
  ["@90 no value", disk(null), {}],
  ["@120 no value", disk(null), {}],
  [
    "@150 no value for longer than 90 s",
    disk(null),
    {
      ...ORANGE,
      events: ["error 2 rootfs @150 limit 1"],
      down: ["2 rootfs 150.. limit 1"],
      active: ["2 rootfs @150 limit 1"],
    },
  ],
  [
    "@180 a value",
    disk(50),
    {
      ...REPORTED,
      events: ["success 2 rootfs @180 limit 1"],
      down: ["2 rootfs 150..180 limit 1"],
      active: [],
    },
  ],
  [
    "@210 the agent stops",
    disk(50, {}, { event: STOPPED }),
    { status: 1, led: 3, text: "Stopped", events: ["change 65536 Monit @210"] },
  ],
  ["@810 nothing is missing of a stopped host", pass(600), {}],
]);

const MISSED = (at: number) => ({
  ...ORANGE,
  events: [`error 2 rootfs @${at} limit 1`],
  down: [`2 rootfs ${at}.. limit 1`],
  active: [`2 rootfs @${at} limit 1`],
});

const NEXT_RUN = { incarnation: BOOT + 4280 };

ledger("no value was missing before a limit was made, of a host that was down for long", [
  ["a host reports", disk(50), REPORTED],
  [
    "@160 it is down",
    pass(130),
    {
      heartbeat: 0,
      status: 1,
      led: 0,
      text: "No report from Monit. Last report was 2026-01-05 12:00:30 UTC",
      events: ["error 1048576 Monit @121"],
      down: ["1048576 Monit 121.."],
      active: ["1048576 Monit @121"],
    },
  ],
  ["@760 nothing changes", pass(600), {}],
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  [
    "@860 it reports again",
    async (app) => {
      app.pass(70);
      await disk(50)(app);
    },
    {
      ...REPORTED,
      events: ["success 1048576 Monit @860", "error 2 rootfs @760 limit 1", "success 2 rootfs @860 limit 1"],
      down: ["1048576 Monit 121..860", "2 rootfs 760..860 limit 1"],
      active: [],
    },
  ],
]);

ledger("no value was missing while a host was stopped", [
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  ["@30 fine", disk(50), REPORTED],
  [
    "@60 the agent stops",
    disk(50, {}, { event: STOPPED }),
    { status: 1, led: 3, text: "Stopped", events: ["change 65536 Monit @60"] },
  ],
  ["ten minutes", pass(600), {}],
  ["@690 it starts, and has not checked the disk yet", disk(null, {}, NEXT_RUN), REPORTED],
  ["@720 nor in the next cycle", disk(null, {}, NEXT_RUN), {}],
  ["@750 nor then", disk(null, {}, NEXT_RUN), {}],
  ["@780 no value since the start for 90 s", disk(null, {}, NEXT_RUN), {}],
  ["@810 for longer", disk(null, {}, NEXT_RUN), MISSED(810)],
]);

ledger("no value was missing while a host was stopped whose last messages had none", [
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  ["@30 fine", disk(50), REPORTED],
  ["@60 no value", disk(null), {}],
  [
    "@90 the agent stops",
    disk(null, {}, { event: STOPPED }),
    { status: 1, led: 3, text: "Stopped", events: ["change 65536 Monit @90"] },
  ],
  ["ten minutes", pass(600), {}],
  ["@720 it starts, and has not checked the disk yet", disk(null, {}, NEXT_RUN), REPORTED],
  ...[750, 780, 810].map((at): Line => [`@${at} nor in the next cycle`, disk(null, {}, NEXT_RUN), {}]),
  ["@840 for longer than 90 s", disk(null, {}, NEXT_RUN), MISSED(840)],
]);

ledger("no value is missing of a host that was made Inactive, although it reports", [
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  ["@0 fine", diskNow(50), REPORTED],
  ["@30 no value", disk(null), {}],
  ["it is made Inactive", update({ status: 1 }), { status: 1, led: 3, text: "Stopped" }],
  ...[60, 90, 120, 150, 180].map((at): Line => [`@${at} no value`, disk(null), {}]),
  ["it is active again", update({ status: 0 }), REPORTED],
  ...[210, 240, 270].map((at): Line => [`@${at} no value since the previous message`, disk(null), {}]),
  ["@300 for longer than 90 s", disk(null), MISSED(300)],
]);

ledger("no value was missing while Muster stood still", [
  ["a limit is made", limit({ critical: null, missing: "warn" }), {}],
  ["@0 fine", diskNow(50), REPORTED],
  ["@30 no value", disk(null), {}],
  ["@3630 Muster stood still for an hour", jump(3600), {}],
  ["@3660 no value", disk(null), {}],
  ["@3690 no value", disk(null), {}],
  ["@3720 no value since then for 90 s", disk(null), {}],
  ["@3750 for longer", disk(null), MISSED(3750)],
]);

ledger("no limit applies to an ignored host", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  ["@30 fine", disk(50), REPORTED],
  ["it is ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["@60 above", disk(91), {}],
  ["it is active again", update({ status: 0 }), { ...REPORTED }],
  [
    "@90 above",
    disk(91),
    {
      ...ORANGE,
      events: ["error 2 rootfs @90 limit 1"],
      down: ["2 rootfs 90.. limit 1"],
      active: ["2 rootfs @90 limit 1"],
    },
  ],
]);

ledger("a failure of an ignored host is the same after its service has vanished and returned", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  ["@30 above", disk(91), OPEN],
  ["it is ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored", active: OPEN.active }],
  ["@30 without the disk", send({ services: [] }), {}],
  ["@60 with it", disk(91), {}],
  ["it is active again", update({ status: 0 }), { status: 0, ...ORANGE }],
  ["@90 above", disk(91), {}],
  ["@120 fine", disk(50), { ...ENDED(120), ...REPORTED }],
]);

ledger("a failure of an ignored host is the same if its service returns once the host is active again", [
  ["a limit is made", limit({ minutes: 0, critical: null }), {}],
  ["@30 above", disk(91), OPEN],
  ["it is ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored", active: OPEN.active }],
  ["@30 without the disk", send({ services: [] }), {}],
  ["it is active again", update({ status: 0 }), { status: 0, led: 3, text: "No services" }],
  ["@60 above", disk(91), ORANGE],
]);

const FULL = { services: [{ name: "rootfs", type: 0, body: filesystemXml({ percent: 92 }) }] };

/** The same message of a host with this name, 30 s after the previous one. Its services keep their names. */
function called(hostname: string): Input {
  return async (app) => {
    app.pass(30);
    await send({ ...FULL, hostname })(app);
  };
}

/** The same of an agent that lists no services with an event. */
function startedAs(hostname: string): Input {
  return async (app) => {
    app.pass(30);
    const message = { at: app.clock.now(), incarnation: BOOT, hostname, event: STARTED };
    await app.report(agentXml(message).replace("<services></services>", ""));
  };
}

ledger(
  "a host that is renamed by a message without services has the limits of its new name from the next one on",
  [
    ["a limit of hosts named db-*", limit({ filter: { hostnames: ["db-*"] }, minutes: 0 }), {}],
    ["@30 the host is called web-1", called("web-1"), REPORTED],
    ["@60 it is called db-1", startedAs("db-1"), { events: ["change 65536 Monit @60"] }],
    [
      "@90 the next message",
      called("db-1"),
      {
        events: ["error 2 rootfs @90 limit 1"],
        down: ["2 rootfs 90.. limit 1"],
        active: ["2 rootfs @90 limit 1"],
        ...ORANGE,
      },
    ],
  ],
);

ledger("a renamed host has the limits of its new name from that message on", [
  [
    "a limit of hosts named db-*",
    limit({ filter: { hostnames: ["db-*"] }, minutes: 0 }),
    { status: -1, heartbeat: -1 },
  ],
  ["@30 the host is called web-1", called("web-1"), REPORTED],
  ["@60 a repetition", called("web-1"), {}],
  [
    "@90 it is called db-1",
    called("db-1"),
    {
      events: ["error 2 rootfs @90 limit 1"],
      down: ["2 rootfs 90.. limit 1"],
      active: ["2 rootfs @90 limit 1"],
      ...ORANGE,
    },
  ],
  ["@120 a repetition", called("db-1"), {}],
  [
    "@150 it is called web-1 again",
    called("web-1"),
    {
      events: ["success 2 rootfs @150 limit 1"],
      down: ["2 rootfs 90..150 limit 1"],
      active: [],
      led: REPORTED.led,
      text: REPORTED.text,
    },
  ],
]);

ledger("the minutes of a limit count anew where the clock was ahead and is set back", [
  ["a host reports", disk(50), REPORTED],
  ["a limit is made", limit({ clearminutes: 1, critical: null }), {}],
  ["@60 above the warning, but not for a minute", disk(92), {}],
  ["an hour back", jump(-3600), {}],
  ["@-3510 above", disk(92), {}],
  ["@-3480 still above", disk(92), {}],
  [
    "@-3450 above for a minute",
    disk(92),
    {
      events: ["error 2 rootfs @-3450 limit 1"],
      down: ["2 rootfs -3450.. limit 1"],
      active: ["2 rootfs @-3450 limit 1"],
      ...ORANGE,
    },
  ],
  ["@-3420 back, but not for a minute", disk(80), {}],
  ["an hour back", jump(-3600), {}],
  ["@-6990 back", disk(80), {}],
  ["@-6960 still back", disk(80), {}],
  [
    "@-6930 back for a minute",
    disk(80),
    {
      events: ["success 2 rootfs @-3449 limit 1"],
      down: ["2 rootfs -3450..-3449 limit 1"],
      active: [],
      ...REPORTED,
    },
  ],
]);
