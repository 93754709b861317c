/** Times of day and days of the week, in which rules, maintenance and rotations recur. */
import * as v from "valibot";
import { allowing, integer } from "../../platform/http/validate.ts";

export const timeOfDay = allowing(
  v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/)),
  "a time of day from 00:00 to 23:59",
);

export const dayOfWeek = integer(0, 6, "a day of the week from 0, Sunday, to 6, Saturday");
