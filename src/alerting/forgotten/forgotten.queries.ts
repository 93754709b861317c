import { type Clock, DAY } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { mutesNotEnded } from "../maintenance/maintenance.repository.ts";
import { visibleMutes } from "../maintenance/mutes.queries.ts";
import { RuleReads } from "../rules/rules.queries.ts";
import { allRules } from "../rules/rules.repository.ts";
import { longIgnoredHosts, type Oldest, oldAcknowledgements } from "./forgotten.repository.ts";
import type { Forgotten, ForgottenList } from "./forgotten.schemas.ts";

/** The most records of each kind. */
const MAX_OF_KIND = 100;

/** The list when nothing is too old. */
export const NOTHING_FORGOTTEN: ForgottenList = {
  days: 0,
  totals: { acknowledgement: 0, mute: 0, host: 0, rule: 0 },
  records: [],
};

/** What a list is about. Plain data, since query workers need it. */
export interface ForgottenSubject {
  /** The hosts of a report; all otherwise. */
  about: Scope;
  /** The hosts that its reader sees. */
  view: Scope;
  /** The hosts whose rules its reader may change. */
  manage: Scope;
}

/** All hosts and rules. */
export const EVERYTHING: ForgottenSubject = { about: "all", view: "all", manage: "all" };

function oldest(records: Forgotten[]): Oldest {
  const sorted = records.sort((a, b) => a.since - b.since || a.id - b.id);
  return { total: sorted.length, records: sorted.slice(0, MAX_OF_KIND) };
}

function oldMutes(db: Db, { about, view }: ForgottenSubject, before: number, now: number): Oldest {
  const mutes = mutesNotEnded(db, now).filter(({ createdAt }) => createdAt <= before);
  const visible = visibleMutes(db, visibleMutes(db, mutes, about), view);
  return oldest(
    visible.map(({ id, createdAt, mutedBy, note }) => ({
      kind: "mute",
      id,
      name: "",
      since: createdAt,
      uname: mutedBy ?? "",
      note,
    })),
  );
}

function longDisabledRules(db: Db, { about, manage }: ForgottenSubject, before: number): Oldest {
  const reads = new RuleReads(db);
  const disabled = allRules(db).flatMap((rule) =>
    rule.disabledAt !== null && rule.disabledAt <= before ? [{ ...rule, since: rule.disabledAt }] : [],
  );
  const visible = new Set(reads.visible(reads.visible(disabled, about), manage).map(({ id }) => id));
  return oldest(
    disabled
      .filter(({ id }) => visible.has(id))
      .map(({ id, name, since }) => ({ kind: "rule", id, name, since, uname: "", note: "" })),
  );
}

/**
 * What people put aside and may have forgotten: it is older than the setting says. It takes time in proportion to the
 * open failures and to the hosts that the reader sees, and so runs on a query worker.
 */
export class ForgottenReads {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** The oldest records of each kind, and how many there are. Empty if the setting is 0. */
  list(subject: ForgottenSubject): ForgottenList {
    const days = this.settings.get("forgottendays");
    if (days === 0) return NOTHING_FORGOTTEN;
    const now = this.clock.now();
    const before = now - days * DAY;
    const scopes = [subject.about, subject.view] as const;
    const acknowledgement = oldAcknowledgements(this.db, scopes, before, now, MAX_OF_KIND);
    const mute = oldMutes(this.db, subject, before, now);
    const host = longIgnoredHosts(this.db, scopes, before, MAX_OF_KIND);
    const rule = longDisabledRules(this.db, subject, before);
    return {
      days,
      totals: {
        acknowledgement: acknowledgement.total,
        mute: mute.total,
        host: host.total,
        rule: rule.total,
      },
      records: [acknowledgement, mute, host, rule]
        .flatMap(({ records }) => records)
        .sort((a, b) => a.since - b.since),
    };
  }
}

/** The query of what may be forgotten, for a query worker. */
export function forgottenQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const reads = new ForgottenReads(db, settings, clock);
  return { forgottenList: (subject: ForgottenSubject) => reads.list(subject) };
}

export type ForgottenQueries = AsyncQueries<ReturnType<typeof forgottenQueries>>;
