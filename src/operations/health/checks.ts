/**
 * What counts as wrong with Muster itself. Each check is a pure function of the facts. docs/operations.md lists the codes.
 */
import { durationText } from "../../monitoring/uptime/duration.ts";
import { DAY, HOUR } from "../../platform/clock.ts";
import { counted, separated } from "../../platform/text.ts";
import { agentChecks, REFUSED_NOW } from "./agent-checks.ts";
import type { HealthFacts } from "./facts.ts";
import type { Finding, Found, HealthCheck } from "./finding.ts";
import { forgottenChecks } from "./forgotten-checks.ts";
import { storageChecks } from "./storage-checks.ts";
import { days } from "./words.ts";

/** Lag from which hosts are declared down noticeably late, seconds. The dead-man ping has the same bound. */
const LATE = 10;
/**
 * Seconds after which a waiting notification is a finding. Others leave within seconds, so its channel must be the
 * reason.
 */
const LONG_WAIT = 600;
/** Failed attempts in a row after which a channel backs off. */
const HOLDING = 3;
/** Days before the end of a certificate. Renewal usually happens 30 days before. */
const EXPIRES_SOON = 21;
const EXPIRES_NOW = 7;
/** Seconds after which a node that was not seen counts as gone. It stores every 5 seconds that it runs. */
const GONE = 60;
/** Seconds after the start until work that catches up counts as behind. */
const CATCHING_UP = 6 * HOUR;

const heartbeatLate: HealthCheck = ({ heartbeatLag }) =>
  heartbeatLag <= LATE
    ? null
    : {
        code: "heartbeat.late",
        severity: "critical",
        text: `The check for hosts that are down is ${durationText(heartbeatLag)} late.`,
        advice: "Look for a slow disk or a busy processor on the machine of Muster.",
      };

const backgroundFailing: HealthCheck = ({ failingWork }) =>
  failingWork.map((work) => ({
    code: "background.failing",
    subject: work,
    severity: "warning",
    text: `Background work is failing: ${work}.`,
    advice: "Read the reason in the log of Muster, and run muster doctor.",
  }));

const requestsFailing: HealthCheck = ({ failingRequests }) =>
  failingRequests.map((name) => ({
    code: "request.failing",
    subject: name,
    severity: "warning",
    text: `The last request failed: ${name}.`,
    advice: "Check its address in the settings. The log of Muster says why it failed.",
  }));

const channelsFailing: HealthCheck = ({ channels }) =>
  channels.worst.map(({ name, failures, answer }) => ({
    code: "channel.failing",
    subject: name,
    severity: failures >= HOLDING ? "critical" : "warning",
    text: `Notifications through the channel "${name}" fail: ${answer || "no answer"}`,
    advice: "Test the channel under Alerts, and correct its settings.",
  }));

const deliveriesWaiting: HealthCheck = ({ now, deliveries: { waiting, oldest } }) =>
  oldest === null || now - oldest < LONG_WAIT
    ? null
    : {
        code: "deliveries.waiting",
        severity: "warning",
        text: `${counted(waiting, "notification")} cannot be sent, the oldest for ${durationText(Math.floor((now - oldest) / LONG_WAIT) * LONG_WAIT)}.`,
        advice: "See under Alerts, Deliveries, what their channels answer.",
      };

const certificatesExpiring: HealthCheck = ({ now, certificates }) =>
  certificates.flatMap(({ name, expires, problem }) => {
    const daysLeft = expires === null ? null : Math.floor((expires - now) / DAY);
    const isOver = daysLeft === null ? /expired/i.test(problem) : daysLeft < 0;
    if (!isOver && (daysLeft === null || daysLeft > EXPIRES_SOON)) return [];
    return [
      {
        code: "certificate.expiring",
        subject: name,
        severity: isOver || (daysLeft !== null && daysLeft <= EXPIRES_NOW) ? "critical" : "warning",
        text: isOver
          ? `The certificate of ${name} has expired.`
          : `The certificate of ${name} expires in ${days(daysLeft ?? 0)}.`,
        advice:
          "Renew it. Muster reads the files of a certificate that it serves itself again within a minute.",
      },
    ];
  });

const certificateUnusable: HealthCheck = ({ certificates }) =>
  certificates
    .filter(({ expires, problem }) => expires !== null && problem !== "")
    .map(({ name, problem }) => ({
      code: "certificate.unusable",
      subject: name,
      severity: "warning",
      text: `The renewed certificate cannot be used: ${problem}`,
      advice: "Correct its files. Muster serves the previous certificate until then.",
    }));

const nodesGone: HealthCheck = ({ nodes }) =>
  nodes
    .filter(({ isActive, unseenFor }) => !isActive && unseenFor > GONE)
    .map(({ name }) => ({
      code: "node.gone",
      subject: name,
      severity: "warning",
      text: `The node ${name} is not running.`,
      advice: "Start it. A node that was removed is forgotten after 7 days.",
    }));

const nodesOutdated: HealthCheck = ({ version, nodes }) =>
  nodes
    .filter((node) => !node.isActive && node.unseenFor <= GONE && node.version !== version)
    .map((node) => ({
      code: "node.outdated",
      subject: node.name,
      severity: "warning",
      text: `The node ${node.name} runs version ${node.version}, the active one ${version}.`,
      advice: "Run the same version on all nodes.",
    }));

const forecastsBehind: HealthCheck = ({ uptime, forecasts }) =>
  uptime < CATCHING_UP || forecasts.behind < 1
    ? null
    : {
        code: "forecasts.behind",
        severity: "warning",
        text: `Forecasts are ${days(forecasts.behind)} behind.`,
        advice: "Look in the log for the reason, and for a busy processor on the machine of Muster.",
      };

const compactionBehind: HealthCheck = ({ now, uptime, compaction: { packedThrough, failed } }) => {
  const isBehind = uptime >= CATCHING_UP && (packedThrough === null || now - packedThrough > CATCHING_UP);
  const behind: Found = {
    code: "compaction.behind",
    severity: "warning",
    text: "Values of past hours are not packed yet: the database grows faster than it should.",
    advice:
      "Look in the log for the reason, and for a slow disk or a busy processor on the machine of Muster.",
  };
  const damaged: Found = {
    code: "compaction.failed",
    severity: "warning",
    text: `Values of ${counted(failed, "host")} cannot be packed.`,
    advice: "Run muster doctor. The log of Muster names the hosts.",
  };
  return [...(isBehind ? [behind] : []), ...(failed > 0 ? [damaged] : [])];
};

const messagesWaiting: HealthCheck = ({ messages: { waiting, mostWaiting } }) =>
  waiting * 4 < mostWaiting
    ? null
    : {
        code: "messages.waiting",
        severity: waiting >= mostWaiting ? "critical" : "warning",
        text: `More messages of agents arrive than Muster stores: at least ${separated(Math.floor(mostWaiting / 4))} wait.`,
        advice:
          "Look for a slow disk or a busy processor. Let agents report less often, or give Muster a faster machine.",
      };

/** Every check. What they find is shown worst first, and within a severity in this order. */
const CHECKS: readonly HealthCheck[] = [
  ...storageChecks,
  heartbeatLate,
  messagesWaiting,
  channelsFailing,
  deliveriesWaiting,
  certificatesExpiring,
  certificateUnusable,
  nodesGone,
  nodesOutdated,
  ...agentChecks,
  ...forgottenChecks,
  requestsFailing,
  backgroundFailing,
  forecastsBehind,
  compactionBehind,
];

/**
 * Checks of what this process has seen itself, with the seconds after its start from which they can tell that a problem
 * is over.
 */
const SETTLED = new Map([
  ["messages.refused", REFUSED_NOW],
  ["request.failing", HOUR],
  ["background.failing", HOUR],
  ["forecasts.behind", CATCHING_UP],
  ["compaction.behind", CATCHING_UP],
  ["compaction.failed", CATCHING_UP],
]);
const OF_FLEET = /^(?:clock|hosts|forgotten)\./;

/** Whether a check that finds nothing can tell from these facts that nothing is wrong. */
export function canTell(code: string, { uptime, isFleetRead }: HealthFacts): boolean {
  if (OF_FLEET.test(code)) return isFleetRead;
  return uptime >= (SETTLED.get(code) ?? 0);
}

const RANK = { critical: 0, warning: 1 } as const;

/** What is wrong, worst first. */
export function findingsOf(facts: HealthFacts): Finding[] {
  return CHECKS.flatMap((check) => check(facts) ?? [])
    .map((found) => ({ ...found, subject: found.subject ?? "" }))
    .sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}
