import { changesBetween, type Details } from "../../platform/http/audit-details.ts";
import type { AuditRule } from "../../platform/http/audit-rule.ts";
import type { AppContext } from "../../platform/http/context.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { stepping } from "../../platform/http/steps.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { actorOf } from "./actor.ts";
import type { Audit } from "./audit.service.ts";

interface AuditedOperation {
  /** The path without its first slash. */
  operation: string;
  rule: AuditRule<unknown, unknown>;
}

/**
 * Begins the entry of an operation, before it changes anything. @returns a function of the reply that adds the entry
 */
function recorder(audit: Audit, { operation, rule }: AuditedOperation, args: unknown, c: AppContext) {
  const subjectOf = (reply: unknown) => {
    const id = rule.id?.(args, reply, c);
    return id === undefined ? null : { id, name: audit.nameOf(rule.subject, id) };
  };
  /** The snapshot; null when the object does not exist, which the operation itself reports. */
  const stateNow = (): Details | null => {
    try {
      return rule.state?.(args, c) ?? null;
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  };
  // After the operation, a deleted object no longer has a name.
  const [subjectBefore, stateBefore] = [subjectOf(null), stateNow()];
  return (reply: unknown) => {
    const subject = subjectBefore ?? subjectOf(reply);
    const stateAfter = stateNow();
    audit.add(actorOf(c), {
      operation,
      subject: rule.subject,
      subjectId: subject?.id,
      ...(subject && subject.name !== "" && { subjectName: subject.name }),
      details: {
        ...rule.details?.(args, reply, c),
        ...(stateBefore && stateAfter && changesBetween(stateBefore, stateAfter)),
      },
    });
  };
}

/** Wraps operations so that each records itself as declared, in the transaction of its change or of each step of it. */
export function audited(operations: readonly Operation[], db: Db, audit: Audit): Operation[] {
  return operations.map((operation) => {
    const { audit: rule, first, stepped } = operation;
    if (rule === undefined || rule === "itself" || rule === "none") return operation;
    const handle = (args: never, c: AppContext): unknown => {
      first?.(args, c);
      const { record, reply } = transaction(db, () => {
        const record = recorder(audit, { operation: operation.path.slice(1), rule }, args, c);
        const reply = operation.handle(args, c);
        if (!(reply instanceof Promise)) record(reply);
        else if (rule.atOnce) record(null);
        return { record, reply };
      });
      if (rule.atOnce || !(reply instanceof Promise)) return reply;
      // An asynchronous operation cannot keep a transaction open.
      return reply.then((value: unknown) => {
        record(value);
        return value;
      });
    };
    return { ...operation, handle: stepped ? stepping(stepped, handle) : handle };
  });
}
