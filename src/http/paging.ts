/** Arguments of every list that is given in pages. */
import { integer, oneOf } from "./validate.ts";

export const direction = oneOf(["asc", "desc"]);
/** Larger pages are cut to this size, and the reply's pageSize says so. */
export const MAX_RESULTS = 10_000;
export const results = integer(1, Number.MAX_SAFE_INTEGER, "a page size of at least 1");
export const startindex = integer(0, Number.MAX_SAFE_INTEGER, "an offset of at least 0");
