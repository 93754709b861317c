import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Caller } from "../../platform/http/context.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Rights } from "../../platform/http/scope.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findChannel } from "../channels/channels.repository.ts";
import { email } from "../channels/kinds/email.ts";
import type { ReportSubject } from "./figures.service.ts";
import { MailReportReads } from "./mail-reports.queries.ts";
import { isReader, type MailReport, readersNamed, reportRows } from "./mail-reports.repository.ts";
import type { report, ViewArguments } from "./mail-reports.schemas.ts";
import { listsForgotten, newestDue, newestOver, periodEndingAt } from "./period.ts";

export const reportExists = declareTaken("report.exists", "report");

/** All reports are checked every few seconds, hence the bound. */
const MAX_REPORTS = 200;

type Content = ContentOf<typeof report>;

/** What a report says about a period to someone with these rights. @param timezone an IANA name */
export function subjectOf(
  { period, target, everything, hostgroups }: MailReport,
  { from, to }: Interval,
  { view, manage }: Rights,
  timezone: string,
): ReportSubject {
  const window = { from, to };
  return {
    window,
    before: periodEndingAt(period, from, timezone),
    target,
    about: everything ? "all" : { groups: hostgroups },
    scope: view,
    manage,
    listsForgotten: listsForgotten(period, window, timezone),
  };
}

/** Whether groups or users were deleted so that no hosts or recipients remain. */
function isEmpty({ everything, hostgroups, users, addresses }: Content): boolean {
  return (!everything && hostgroups.length === 0) || users.length + addresses.length === 0;
}

interface MailReportParts {
  db: Db;
  references: References;
  settings: SettingsReader;
  clock: Clock;
}

/** Reports by mail: administrators manage them, their recipients read them. */
export class MailReports extends Collection<typeof report, MailReport> {
  readonly #db: Db;
  readonly #settings: SettingsReader;
  readonly #clock: Clock;

  constructor({ db, references, settings, clock }: MailReportParts) {
    const reads = new MailReportReads(db, settings, clock);
    super({ reads, references, taken: reportExists, maxObjects: MAX_REPORTS });
    this.#db = db;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** The first period of a new report ends after the present moment. A change does not send an earlier period. */
  protected columnsOf({ users, ...content }: Content, before: MailReport | null): Omit<MailReport, "id"> {
    this.#refuseContradiction({ users, ...content }, before);
    const newest = newestDue(content, this.#clock.now(), this.#timezone).day;
    const isResumed = content.enabled && !before?.enabled;
    const isRescheduled = content.period !== before?.period || content.hour !== before.hour;
    const isLater = !before || ((isResumed || isRescheduled) && newest > before.lastDay);
    return {
      ...content,
      hostgroups: [...new Set(content.hostgroups)],
      addresses: [...new Set(content.addresses)],
      readers: readersNamed(this.#db, users),
      lastDay: isLater ? newest : before.lastDay,
    };
  }

  /** The reports that an import accepts: those with hosts and recipients. */
  override contents(withSecrets: boolean): Content[] {
    return super.contents(withSecrets).filter((content) => !isEmpty(content));
  }

  /**
   * The hosts of a report and the period to read, as the caller sees it.
   * @throws ApiError 404 if there is no such report, or the caller does not get it
   */
  view({ id, before = this.#clock.now() }: ViewArguments, caller: Caller) {
    const isOwn = caller.admin || isReader(this.#db, id, caller.id);
    const report = found(isOwn ? reportRows.find(this.#db, id) : undefined, "report", id);
    const { name, period } = report;
    const covered = newestOver(report, Math.min(before, this.#clock.now()), this.#timezone);
    const subject = subjectOf(report, covered, caller.rights, this.#timezone);
    return { id, name, period, subject };
  }

  get #timezone(): string {
    return this.#settings.get("timezone");
  }

  /** @throws ApiError 400 */
  #refuseContradiction(content: Content, before: MailReport | null): void {
    const { everything, hostgroups, channel, users, addresses } = content;
    if (findChannel(this.#db, channel)?.kind !== email.kind)
      throw errors.badArgument("channel", "the id of a channel of the kind email");
    if (everything && hostgroups.length > 0)
      throw errors.badArgument("hostgroups", "empty for a report about everything");
    // A report that lost its groups or recipients is accepted unchanged, so that it can be disabled.
    if (before && isEmpty(this.reads.contentOf(before)) && isEmpty(content)) return;
    if (!everything && hostgroups.length === 0)
      throw errors.missingArgument("hostgroups", "what it is about; or everything, for all hosts");
    if (users.length + addresses.length === 0)
      throw errors.missingArgument("users", "the users who get it; or addresses, for others");
  }
}
