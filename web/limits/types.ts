/** Replies about limits, derived from the schemas of their operations. */
import type { InferOutput } from "valibot";
import type { limitReply, listReply, previewReply } from "../../src/monitoring/limits/limits.schemas.ts";

export type LimitList = InferOutput<typeof listReply>;
export type Limit = InferOutput<typeof limitReply>;
export type LimitPreview = InferOutput<typeof previewReply>;
/** A limit that is not stored yet. */
export type NewLimit = Omit<Limit, "id" | "manage" | "warnings" | "criticals">;
