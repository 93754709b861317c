/** Arguments and reply fields shared by all paged lists. */
import * as v from "valibot";
import { described, integer, oneOf } from "./validate.ts";

export const direction = described(oneOf(["asc", "desc"]), "ascending or descending");
/** Records of the largest page of most lists. */
const MAX_RESULTS = 10_000;

/** A page size. Larger ones are reduced to `max`, which the reply reports as pageSize. */
function upTo(max: number) {
  const size = integer(1, Number.MAX_SAFE_INTEGER, "a page size of at least 1");
  return v.pipe(
    described(size, `page size; larger pages are cut to ${max} records`),
    v.transform((requested) => Math.min(requested, max)),
  );
}

/** The argument `results` of a list that has all records without it. */
export const results = upTo(MAX_RESULTS);

/** The argument `results` of other lists. @param initial records of a page without it */
export function pageSize(initial: number, max = MAX_RESULTS) {
  return v.optional(upTo(max), initial);
}
export const startindex = described(
  integer(0, Number.MAX_SAFE_INTEGER, "an offset of at least 0"),
  "how many records to skip before the page",
);

const number = v.number();

export const totalRecords = described(number, "number of records in the whole selection");
export const pageReply = {
  recordsReturned: described(number, "number of records in this reply"),
  pageSize: described(number, "largest number of records in a page"),
  totalRecords,
  startIndex: described(number, "number of records skipped before this page"),
};

/** A page of a list, with the fields of `pageReply`. `totalRecords` counts the whole selection. */
export function pageOf<T>(
  records: T[],
  { pageSize, totalRecords, startIndex }: { pageSize: number; totalRecords: number; startIndex: number },
) {
  return { recordsReturned: records.length, pageSize, totalRecords, startIndex, records };
}

export const sortReply = {
  sort: described(v.string(), "field that the records are sorted by"),
  dir: described(v.string(), "asc or desc"),
};
