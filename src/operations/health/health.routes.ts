import type * as v from "valibot";
import type { HealthProblems } from "../../alerting/problems/health-problems.service.ts";
import { acknowledgeFindings, findingsArgument } from "../../alerting/problems/problems.schemas.ts";
import type { Acknowledgement } from "../../monitoring/uptime/acknowledgements.repository.ts";
import { onlyId } from "../../platform/http/audit-rule.ts";
import { callerOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { healthReply } from "./health.schemas.ts";
import type { Evaluation, Health } from "./health.service.ts";
import { daysUntilFull } from "./storage-checks.ts";

/**
 * Operations on the health of Muster itself: for administrators, since findings name hosts and clients that others do
 * not see.
 */
export function healthOperations(
  health: Pick<Health, "current">,
  problems: Pick<HealthProblems, "acknowledge" | "unacknowledge" | "acknowledgementsOf">,
): Operation[] {
  return [
    read("/admin/health/get", {
      access: "admin",
      summary: "The health of Muster itself: what is wrong, since when, and what to do about it",
      response: healthReply,
      handle: async () => {
        const evaluation = await health.current();
        const ids = evaluation.findings.flatMap(({ id }) => id ?? []);
        return replyOf(evaluation, problems.acknowledgementsOf(ids));
      },
    }),
    write("/admin/health/acknowledge", {
      access: "admin",
      summary:
        "Acknowledge what is wrong with Muster itself: no reminder and no escalation until a time, or until it is over",
      request: acknowledgeFindings,
      errors: [noSuch("finding")],
      audit: { subject: "finding", id: onlyId, details: ({ id, until }) => ({ id, until }) },
      handle: (args, c) => problems.acknowledge(args, callerOf(c).uname),
    }),
    write("/admin/health/unacknowledge", {
      access: "admin",
      summary: "End the acknowledgement of what is wrong with Muster itself",
      request: findingsArgument,
      errors: [noSuch("finding")],
      audit: { subject: "finding", id: onlyId, details: ({ id }) => ({ id }) },
      handle: ({ id }) => problems.unacknowledge(id),
    }),
  ];
}

function replyOf(
  { facts, findings }: Evaluation,
  acknowledgements: ReadonlyMap<number, Acknowledgement>,
): v.InferInput<typeof healthReply> {
  const { messages, agents, database, backup, channels, compaction } = facts;
  const { engine, bytes, growth, disk } = database;
  return {
    evaluated: facts.now,
    state: findings[0]?.severity ?? "ok",
    findings: findings.map(({ id, code, subject, severity, since, text, advice }) => ({
      id,
      code,
      subject,
      severity,
      since,
      text,
      advice,
      acknowledged: (id !== null && acknowledgements.get(id)) || null,
    })),
    messages: {
      persecond: messages.perSecond,
      waiting: messages.waiting,
      refused: messages.refused.map(({ reason, count, clients, last }) => ({ reason, count, clients, last })),
    },
    agents: {
      hosts: agents.total,
      versions: agents.versions,
      wrongclocks: agents.clocks.wrong,
      clocks: agents.clocks.worst,
    },
    database: {
      engine,
      bytes,
      growth,
      free: disk?.free ?? null,
      total: disk?.total ?? null,
      fulldays: daysUntilFull(database),
    },
    backup: { possible: backup.possible, last: backup.last, proven: backup.lastProven },
    channels: { failing: channels.failing },
    deliveries: facts.deliveries,
    certificates: facts.certificates,
    forecasts: facts.forecasts,
    compaction: { packedthrough: compaction.packedThrough, failed: compaction.failed },
  };
}
