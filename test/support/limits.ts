import * as v from "valibot";
import type { Limit } from "../../src/monitoring/limits/limit.ts";
import { limit } from "../../src/monitoring/limits/limits.schemas.ts";

/** The content of a limit with the defaults of a new one: of disk space above 90 %, unless `fields` say otherwise. */
export function limitWith(fields: object = {}) {
  return v.parse(limit.content, { name: "limit", statistics: [18], warning: 90, ...fields });
}

/** A limit that is not stored. */
export function unstoredLimit(fields: object = {}): Limit {
  return { id: 0, ...limitWith(fields) };
}
