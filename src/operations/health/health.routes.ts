import type * as v from "valibot";
import { type Operation, read } from "../../platform/http/operation.ts";
import { healthReply } from "./health.schemas.ts";
import type { Evaluation, Health } from "./health.service.ts";
import { daysUntilFull } from "./storage-checks.ts";

/** Only administrators may know of hosts, channels and clients that others do not see. */
export function healthOperations(health: Pick<Health, "current">): Operation[] {
  return [
    read("/admin/health/get", {
      access: "admin",
      summary: "How Muster itself is: what is wrong, since when, and what to do about it",
      response: healthReply,
      handle: async () => replyOf(await health.current()),
    }),
  ];
}

function replyOf({ facts, findings }: Evaluation): v.InferInput<typeof healthReply> {
  const { messages, agents, database, backup, channels, compaction } = facts;
  const { engine, bytes, growth, disk } = database;
  return {
    evaluated: facts.now,
    state: findings[0]?.severity ?? "ok",
    findings: findings.map(({ code, subject, severity, since, text, advice }) => ({
      code,
      subject,
      severity,
      since,
      text,
      advice,
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
    backup: { possible: backup.possible, last: backup.last },
    channels: { failing: channels.failing },
    deliveries: facts.deliveries,
    certificates: facts.certificates,
    forecasts: facts.forecasts,
    compaction: { packedthrough: compaction.packedThrough, failed: compaction.failed },
  };
}
