/** Wraps the operations that change state so that each is recorded in the audit log. */

import { changesBetween, type Details } from "../../platform/http/audit-details.ts";
import type { AuditRule } from "../../platform/http/audit-rule.ts";
import type { AppContext } from "../../platform/http/context.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { actorOf } from "./actor.ts";
import type { Audit } from "./audit.service.ts";

interface Subject {
  id: string | number;
  name: string;
}

/** Records one operation according to its audit rule. */
class Recorder {
  readonly #before: Subject | null;
  readonly #stateBefore: Details | null;

  constructor(
    private readonly audit: Audit,
    private readonly operation: string,
    private readonly rule: AuditRule<unknown, unknown>,
    private readonly args: unknown,
    private readonly c: AppContext,
  ) {
    // An object about to be deleted has a name only before the operation.
    this.#before = this.#subject(null);
    this.#stateBefore = this.#state();
  }

  record(reply: unknown): void {
    const { audit, operation, rule, args, c } = this;
    const subject = this.#before ?? this.#subject(reply);
    const stateAfter = this.#state();
    const details = {
      ...rule.details?.(args, reply, c),
      ...(this.#stateBefore && stateAfter && changesBetween(this.#stateBefore, stateAfter)),
    };
    audit.add(actorOf(c), {
      operation,
      subject: rule.subject,
      subjectId: subject?.id,
      ...(subject && subject.name !== "" && { subjectName: subject.name }),
      details,
    });
  }

  #subject(reply: unknown): Subject | null {
    const id = this.rule.id?.(this.args, reply, this.c);
    return id === undefined ? null : { id, name: this.audit.nameOf(this.rule.subject, id) };
  }

  /** The snapshot; null when the object does not exist, which the operation itself reports. */
  #state(): Details | null {
    try {
      return this.rule.state?.(this.args, this.c) ?? null;
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}

/** Wraps operations so that each records itself as declared, in the transaction of its change. */
export function audited(operations: readonly Operation[], db: Db, audit: Audit): Operation[] {
  return operations.map((operation) => {
    const { audit: rule, first } = operation;
    if (rule === undefined || rule === "itself" || rule === "none") return operation;
    const handle = (args: never, c: AppContext): unknown => {
      first?.(args, c);
      const { recorder, reply } = transaction(db, () => {
        const recorder = new Recorder(audit, operation.path.slice(1), rule, args, c);
        const reply = operation.handle(args, c);
        if (!(reply instanceof Promise)) recorder.record(reply);
        return { recorder, reply };
      });
      if (!(reply instanceof Promise)) return reply;
      // An asynchronous operation cannot keep a transaction open.
      return reply.then((value: unknown) => {
        recorder.record(value);
        return value;
      });
    };
    return { ...operation, handle };
  });
}
