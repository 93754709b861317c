import { DAY } from "../../platform/clock.ts";
import { errors } from "../../platform/http/errors.ts";
import type { AcknowledgeArguments } from "./problems.schemas.ts";

/** Longest acknowledgement with an end, seconds: a year. A later end is probably a mistake of units. */
const MAX_SECONDS = 366 * DAY;

/**
 * When an acknowledgement ends; null: with its failure. Times are unix seconds.
 * @throws ApiError 400 if the requested end is not in the future, or further than a year
 */
export function acknowledgementEnd(requested: AcknowledgeArguments["until"], now: number): number | null {
  const until = requested === undefined || requested === "" ? null : requested;
  if (until !== null && (until <= now || until > now + MAX_SECONDS))
    throw errors.badArgument("until", "a unix timestamp in the future, within a year");
  return until;
}
