import * as v from "valibot";
import { deleteSessionsOfUser } from "../../accounts/sessions/sessions.repository.ts";
import { allUsers, findUser, insertUser, updateUser } from "../../accounts/users/users.repository.ts";
import { uname } from "../../accounts/users/users.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import { text } from "../../platform/http/validate.ts";
import type { Section } from "./section.ts";

const short = text(0, 255);

const details = {
  uname,
  fullname: short,
  title: short,
  email: short,
  phone: short,
  mobile: short,
  imname: short,
  imtype: short,
  admin: v.boolean(),
};
const userSchema = v.strictObject({
  ...details,
  /** MD5 in upper case; only in a file with secrets. */
  password: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9A-F]{32})?$/))),
});

/**
 * Users with a local password, without pictures, sessions, API tokens and second factors. Externally
 * authenticated users are not included: they are created again when they first sign in.
 */
export const usersSection: Section<v.InferOutput<typeof userSchema>> = {
  name: "users",
  schema: userSchema,
  nameOf: (user) => user.uname,
  exportItems: ({ db, box }, withSecrets) =>
    allUsers(db)
      .filter(({ origin }) => origin === "local")
      .map((user) => ({
        ...v.parse(v.object(details), user),
        ...(withSecrets && { password: box.open(user.passwordMd5) }),
      })),
  importItem: ({ db, box }, { password, ...user }, { session }) => {
    const known = findUser(db, user.uname);
    if (!known) {
      insertUser(db, { ...user, passwordMd5: box.seal(password ?? "") });
      return password ? "created" : "incomplete";
    }
    // An import must not take over an account that signs in another way.
    if (known.origin !== "local")
      throw errors.badRequest("There is a user of this name who signs in another way");
    const isOther = password !== undefined && password !== box.open(known.passwordMd5);
    updateUser(db, known.id, { ...user, ...(isOther && { passwordMd5: box.seal(password) }) });
    if (isOther) deleteSessionsOfUser(db, known.id, session);
    return "updated";
  },
};
