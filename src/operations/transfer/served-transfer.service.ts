/** Export and import while Muster serves others. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Actor } from "../../accounts/audit/actor.ts";
import { ApiError, declareError, errors, extended } from "../../platform/http/errors.ts";
import type { PreparedReply } from "../../platform/http/prepared.ts";
import type { Turn } from "../../platform/http/turn.ts";
import { UnreadableSecret } from "../../platform/secrets/secret-box.ts";
import { databaseError } from "../../platform/storage/database-error.ts";
import { transaction } from "../../platform/storage/open.ts";
import { capitalised, reasonOf } from "../../platform/text.ts";
import { unreadableText } from "../key-rotation/sealed.repository.ts";
import type { OpenedSecrets } from "./opened-secrets.ts";
import {
  auditedResults,
  count,
  endSection,
  type Importer,
  type ImportOutcome,
  type ImportResult,
  importOne,
  nothingImported,
  type TransferDependencies,
} from "./section.ts";
import type { TransferQueries } from "./transfer.queries.ts";
import { isOneStep, keepingAnAdmin, sectionNamed } from "./transfer.service.ts";
import type { ImportWrite } from "./trial-import.ts";

/** Longest step, milliseconds: no message is stored during a step. */
const STEP_MS = 20;
/** Secrets that are opened between two checks of the time. */
const SECRETS = 50;

/** What the audit log calls an import. */
const OPERATION = "admin/transfer/import";

export const importRunning = declareError(
  409,
  "transfer.running",
  "Another import is in progress: wait until it has ended",
);

type Results = Record<string, ImportResult>;

/** The results of the import as text. */
function textOf(results: Results): string {
  const parts = Object.entries(results)
    .filter(([, { created, updated }]) => created + updated > 0)
    .map(([name, { created, updated }]) => `${name} (${created} created, ${updated} updated)`);
  return parts.length === 0 ? "Nothing was written" : `Written so far: ${parts.join(", ")}`;
}

/** The error of a step, with the results so far. */
function stopped(error: unknown, results: Results): unknown {
  const progress = `${textOf(results)}; import the same file again to complete it`;
  if (error instanceof ApiError) return extended(error, `. ${progress}`);
  const reason = databaseError(error);
  return reason === null ? error : errors.busy(`The database cannot be used: ${reason}. ${progress}`);
}

/**
 * Exports and imports are read, checked and compared on a thread of their own. The changes of an import are written
 * in steps, so that other requests are served in between.
 */
export class ServedTransfer {
  #isImporting = false;

  constructor(
    private readonly dependencies: TransferDependencies,
    private readonly queries: TransferQueries,
    /** A monotonic clock, milliseconds. */
    private readonly monotonic: () => number,
  ) {}

  /**
   * The configuration as a document.
   * @param actor null: without passwords and tokens. Otherwise with them, in clear text; the audit log records who exported it.
   */
  async export(turn: Turn, actor: Actor | null): Promise<PreparedReply> {
    const { audit, clock } = this.dependencies;
    if (actor)
      audit.add(actor, {
        operation: "admin/transfer/export",
        subject: "transfer",
        details: { with: "passwords and tokens" },
      });
    const opened = await this.#openSecrets(turn, actor !== null);
    return this.queries.transferExport(turn, actor !== null, clock.now(), opened);
  }

  /**
   * Imports a file: creates missing objects, updates those that have the same name and differ, and deletes nothing.
   * The whole import is tried on a copy first: after an error nothing is written. If a step fails because something changed
   * after the trial, the error says what was written, and the next import of the file writes the rest.
   * @param session hash of the session that imports: it survives a change of its user's password
   * @throws ApiError 400, 403 for a token that would change its own user, 409, 503
   */
  async import(turn: Turn, file: Uint8Array, actor: Actor, session: string | undefined): Promise<Results> {
    if (this.#isImporting) throw importRunning();
    this.#isImporting = true;
    try {
      const opened = await this.#openSecrets(turn, true);
      const { folder } = this.dependencies.settings;
      const importer = { actor, session, operation: OPERATION };
      const trial = await this.queries.transferTrial(turn, file, opened, folder, importer);
      const { results, writes } = trial.value;
      const entry = this.dependencies.audit.add(actor, {
        operation: OPERATION,
        subject: "transfer",
        details: auditedResults(results),
      });
      const written: Results = {};
      try {
        await this.#writeAll(turn, writes, importer, written);
      } catch (error) {
        this.#noteEnd(entry, written, error);
        throw stopped(error, written);
      }
      return results;
    } finally {
      this.#isImporting = false;
    }
  }

  /** @throws ApiError 500 that names a secret which does not open */
  async #openSecrets(turn: Turn, withPasswords: boolean): Promise<OpenedSecrets> {
    try {
      return await this.#opened(turn, withPasswords);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      const { owner } = (await this.queries.transferOwner(turn, error.sealed)).value;
      throw errors.internal(capitalised(unreadableText(owner)));
    }
  }

  async #opened(turn: Turn, withPasswords: boolean): Promise<OpenedSecrets> {
    const { sealed } = (await this.queries.transferSecrets(turn, withPasswords)).value;
    const opened = new Map<string, string>();
    let until = this.monotonic() + STEP_MS;
    for (const [i, text] of sealed.entries()) {
      opened.set(text, this.dependencies.box.open(text));
      if (i % SECRETS !== 0 || this.monotonic() < until) continue;
      await nextTurn();
      until = this.monotonic() + STEP_MS;
    }
    return opened;
  }

  /** @param written filled with what each step wrote */
  async #writeAll(turn: Turn, total: number, importer: Importer, written: Results): Promise<void> {
    for (let done = 0; done < total; ) {
      const { writes } = (await this.queries.transferWrites(turn, done)).value;
      if (writes.length === 0) throw errors.busy("The thread that had read the file ended");
      for (let next = 0; next < writes.length; ) {
        next += this.#step(writes.slice(next), importer, written);
        await nextTurn();
      }
      done += writes.length;
    }
  }

  /** Stores the results of the import so far. */
  #noteEnd(entry: number, written: Results, error: unknown): void {
    try {
      const reason = reasonOf(error);
      this.dependencies.audit.complete(entry, { ...auditedResults(written), stopped: reason });
    } catch (failure) {
      // The disk may be full, which is why the import stopped.
      if (databaseError(failure) === null) throw failure;
    }
  }

  /** Writes some items in one transaction. @returns how many */
  #step(writes: readonly ImportWrite[], importer: Importer, written: Results): number {
    const { dependencies } = this;
    const until = this.monotonic() + STEP_MS;
    const step = () => {
      const outcomes: ImportOutcome[] = [];
      for (const [i, write] of writes.entries()) {
        outcomes.push(importOne(sectionNamed(write.section), dependencies, write, importer));
        if (this.monotonic() >= until && !isOneStep(write, writes[i + 1])) break;
      }
      const bySection = Map.groupBy(writes.slice(0, outcomes.length), ({ section }) => section);
      for (const [name, ofSection] of bySection) {
        const items = ofSection.map(({ item }) => item);
        endSection(sectionNamed(name), dependencies, items, dependencies.settings.folder);
      }
      return outcomes;
    };
    const outcomes = transaction(dependencies.db, () => keepingAnAdmin(dependencies.db, step));
    for (const [i, { section, item }] of writes.slice(0, outcomes.length).entries()) {
      const result = written[section] ?? nothingImported();
      written[section] = result;
      count(result, sectionNamed(section).nameOf(item), outcomes[i] ?? "updated");
    }
    return outcomes.length;
  }
}
