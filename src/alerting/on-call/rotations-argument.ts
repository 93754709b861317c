/** Rotations as the API has them: with login names, in one JSON text. */
import * as v from "valibot";
import { errors } from "../../platform/http/errors.ts";
import { integer, oneOf, text } from "../../platform/http/validate.ts";
import { dayOfWeek, timeOfDay } from "../rules/filters.schemas.ts";
import type { Person } from "./on-call.repository.ts";
import type { Rotation } from "./rotation.ts";

/** Most rotations of a schedule, and most people in one of them. */
const MAX_ROTATIONS = 20;
const MAX_PEOPLE = 50;
const MAX_EVERY = 366;

const hours = v.strictObject({
  days: v.pipe(v.array(dayOfWeek), v.minLength(1), v.maxLength(7)),
  from: timeOfDay,
  to: timeOfDay,
});

/** The reply's schema in on-call.schemas.ts says what the fields mean. */
const rotation = v.strictObject({
  name: text(0, 255),
  users: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_PEOPLE)),
  start: v.pipe(v.string(), v.isoDate(), v.check(isDate)),
  handover: timeOfDay,
  unit: oneOf(["hour", "day", "week"]),
  every: integer(1, MAX_EVERY),
  hours: v.nullable(hours),
});
export const rotationList = v.pipe(v.array(rotation), v.maxLength(MAX_ROTATIONS));
/** A rotation with login names in place of ids. */
export type NamedRotation = v.InferOutput<typeof rotation>;

const ALLOWED = `a JSON array of at most ${MAX_ROTATIONS} rotations, each with name, users, start, handover, unit, every and hours`;

/** @throws ApiError 400 that names the first value that is wrong */
export function rotationsIn(json: string): NamedRotation[] {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw errors.badArgument("rotations", ALLOWED);
    throw error;
  }
  const result = v.safeParse(rotationList, given, { abortEarly: true });
  if (result.success) return result.output;
  const place = result.issues[0].path?.map(({ key }) => String(key)).join(".");
  throw errors.badArgument("rotations", place ? `${ALLOWED}; look at ${place}` : ALLOWED);
}

function isDate(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch (error) {
    if (error instanceof RangeError) return false; // no such day, as 2026-02-30
    throw error;
  }
}

/** @throws ApiError 400 if there is no such user */
export function withIds(rotations: readonly NamedRotation[], people: Iterable<Person>): Rotation[] {
  const ids = new Map([...people].map(({ id, uname }) => [uname, id]));
  const idOf = (uname: string) => {
    const id = ids.get(uname);
    if (id === undefined)
      throw errors.badArgument("rotations", `about users that exist; there is no user ${uname}`);
    return id;
  };
  return rotations.map((one) => ({ ...one, users: one.users.map(idOf) }));
}

/** Leaves out users who do not exist. */
export function withNames(
  rotations: readonly Rotation[],
  people: ReadonlyMap<number, Person>,
): NamedRotation[] {
  const nameOf = (id: number) => people.get(id)?.uname;
  return rotations.map((one) => ({
    ...one,
    users: one.users.map(nameOf).filter((name) => name !== undefined),
  }));
}
