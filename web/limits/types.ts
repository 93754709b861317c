/** Limits and previews of them, derived from the schema of the resource. */
import type { InferOutput } from "valibot";
import type {
  limit,
  previewReply,
  sumsReply,
  unmatchedReply,
} from "../../src/monitoring/limits/limits.schemas.ts";

export type LimitList = InferOutput<(typeof limit)["list"]>;
export type Limit = LimitList["records"][number];
export type UnmatchedLimits = InferOutput<typeof unmatchedReply>;
export type LimitPreview = InferOutput<typeof previewReply>;
export type LimitSums = InferOutput<typeof sumsReply>;
/** A limit that is not stored yet. */
export type NewLimit = InferOutput<(typeof limit)["content"]>;
