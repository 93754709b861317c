import * as v from "valibot";
import { contentReplyOf } from "../../monitoring/limits/limit-content.ts";
import { allLimits, findLimitByName } from "../../monitoring/limits/limits.repository.ts";
import { createArguments } from "../../monitoring/limits/limits.schemas.ts";

import { FULL_REACH } from "../../platform/http/scope.ts";
import { checked } from "../../platform/http/validate.ts";
import { MISSING_DATA } from "../../platform/storage/schema/limits.ts";
import { namedFilter, orNone, placeArgumentsOf, placeEntries } from "./references.ts";
import type { Section } from "./section.ts";

/** Most decimals that a value of a limit has. */
const DECIMALS = 9;

const value = v.nullable(v.number());

const limitSchema = v.strictObject({
  name: v.string(),
  enabled: v.boolean(),
  statistics: v.array(v.number()),
  descriptor: v.string(),
  perprocessor: v.boolean(),
  filter: v.strictObject({
    ...placeEntries,
    hostnames: v.optional(v.array(v.string())),
    servicetypes: v.optional(v.array(v.number())),
  }),
  direction: v.picklist(["above", "below"]),
  warning: value,
  critical: value,
  minutes: v.number(),
  clearvalue: value,
  clearminutes: v.number(),
  missing: v.picklist(MISSING_DATA),
  downtime: v.boolean(),
  note: v.string(),
  runbook: v.string(),
});
type LimitItem = v.InferOutput<typeof limitSchema>;

/** As an argument, which has no exponent. */
function decimalOrNone(number: number | null): string {
  return number === null ? "" : number.toFixed(DECIMALS);
}

/** Limits, in the order of their creation. */
export const limitsSection: Section<LimitItem> = {
  name: "limits",
  schema: limitSchema,
  nameOf: (limit) => limit.name,
  exportItems: ({ db }) =>
    allLimits(db).map((limit) => {
      const { filter, lost } = namedFilter(db, limit.filter);
      return { ...contentReplyOf(limit), enabled: limit.enabled && !lost, filter };
    }),
  importItem: ({ db, statisticLimits }, { statistics, filter, ...same }) => {
    const { hostnames, servicetypes, ...place } = filter;
    const given = checked(createArguments, {
      ...same,
      statistic: statistics,
      ...placeArgumentsOf(db, place, same.enabled),
      hostname: orNone(hostnames),
      servicetype: orNone(servicetypes),
      warning: decimalOrNone(same.warning),
      critical: decimalOrNone(same.critical),
      clearvalue: decimalOrNone(same.clearvalue),
    });
    const known = findLimitByName(db, same.name);
    if (known) statisticLimits.update({ id: known.id, ...given }, FULL_REACH);
    else statisticLimits.create(given, "all");
    return known ? "updated" : "created";
  },
};
