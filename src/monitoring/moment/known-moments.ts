/** Which moments are known, and what is known of them. */
import { type Clock, DAY } from "../../platform/clock.ts";
import { dateText } from "../../platform/date-text.ts";
import { declareError } from "../../platform/http/errors.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { completeSince } from "../history/complete-since.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution } from "../history/resolutions.ts";
import { type MOMENT_VALUES, UNKNOWN_FIELDS, type UnknownFields } from "./moment.schemas.ts";
import { readValues } from "./moment-rows.ts";
import { recordedSince } from "./revisions.repository.ts";

/** Why a moment cannot be shown. */
export const momentErrors = {
  future: declareError(400, "moment.future", "The moment is in the future"),
  notKnown: declareError(
    400,
    "moment.not_known",
    "The moment is no longer known: it is older than what is kept",
    (known: number) => `That moment is no longer known: the earliest one is ${known} (${dateText(known)})`,
  ),
  tooLarge: declareError(
    400,
    "moment.large",
    "There are too many services to compose a moment of all hosts: ask about some of the hosts",
  ),
};

/** The most services that a moment can have: composing it takes some seconds, and half a gigabyte of memory at most. */
export const MAX_SERVICES = 1_000_000;

/** Fields that are never recorded. */
const NOT_RECORDED: readonly UnknownFields[] = ["outputs", "suppressed"];

const VALUES: Record<(typeof MOMENT_VALUES)[number], Resolution> = {
  message: RAW,
  minutes: FIVE_MINUTES,
  hour: HOURLY,
};

/** Since when retention has deleted nothing, unix seconds. Setting more days does not move this back. */
export function knownSince(settings: SettingsReader, now: number): number {
  return Math.max(settings.get("pastsince"), now - settings.get("eventdays") * DAY);
}

/** Judges moments by the settings of retention and the current time. Moments are unix seconds. */
export class KnownMoments {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** Since when changes are recorded, unix seconds. */
  get recorded(): number {
    return recordedSince(this.db);
  }

  /** The earliest moment whose state is known, unix seconds: retention has deleted nothing that was true then. */
  get known(): number {
    return knownSince(this.settings, this.clock.now());
  }

  /**
   * Refuses moments that cannot be shown.
   * @throws ApiError 400 for a moment in the future, or one that is no longer known
   */
  check(at: number): void {
    if (at > this.clock.now()) throw momentErrors.future();
    const { known } = this;
    if (at < known) throw momentErrors.notKnown(known);
  }

  /** @throws ApiError 400 if all hosts together have more services */
  refuseTooLarge(maxServices: number): void {
    const [row] = readValues(this.db, "select count(*) from services");
    if (Number(row?.[0] ?? 0) > maxServices) throw momentErrors.tooLarge();
  }

  /** What is known of a moment; without one, of the present. @throws ApiError 400 as `check` */
  describe(requested: number | undefined) {
    const now = this.clock.now();
    const at = requested ?? now;
    this.check(at);
    const { known, recorded } = this;
    const kinds = Object.keys(VALUES) as (keyof typeof VALUES)[];
    const values = kinds.find((kind) => at >= completeSince(this.db, this.settings, VALUES[kind], now));
    const unknown: UnknownFields[] = [
      ...UNKNOWN_FIELDS.filter(
        (field) => !NOT_RECORDED.includes(field) && field !== "values" && at < recorded,
      ),
      ...NOT_RECORDED,
      ...(values === undefined ? (["values"] as const) : []),
    ];
    return { at, values: values ?? "hour", known, recorded, unknown };
  }
}
