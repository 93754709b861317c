import * as v from "valibot";
import { deleteSessionsOfUser } from "../../accounts/sessions/sessions.repository.ts";
import { findUser, insertUser, updateUser } from "../../accounts/users/users.repository.ts";
import { uname } from "../../accounts/users/users.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import { text } from "../../platform/http/validate.ts";
import type { Section } from "./section.ts";
import { usersToGive } from "./transfer.repository.ts";

const short = text(0, 255);

const userSchema = v.strictObject({
  uname,
  fullname: short,
  title: short,
  email: short,
  phone: short,
  mobile: short,
  imname: short,
  imtype: short,
  admin: v.boolean(),
  /** MD5, upper case; only in a file with secrets. */
  password: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9A-F]{32})?$/))),
});

/**
 * Users with a password here, without their pictures, logins, API tokens and second factors. Those for whom a provider or
 * a proxy vouches are made anew by it.
 */
export const usersSection: Section<v.InferOutput<typeof userSchema>> = {
  name: "users",
  schema: userSchema,
  nameOf: (user) => user.uname,
  give: ({ db, box }, withSecrets) =>
    usersToGive(db).map(({ passwordMd5, ...user }) => ({
      ...user,
      ...(withSecrets && { password: box.open(passwordMd5) }),
    })),
  take: ({ db, box }, { password, ...user }, { session }) => {
    const known = findUser(db, user.uname);
    if (!known) {
      insertUser(db, { ...user, passwordMd5: box.seal(password ?? "") });
      return password ? "created" : "incomplete";
    }
    // An account is never taken over by another way to sign in.
    if (known.origin !== "local")
      throw errors.badRequest("There is a user of this name who signs in another way");
    const isOther = password !== undefined && password !== box.open(known.passwordMd5);
    updateUser(db, known.id, { ...user, ...(isOther && { passwordMd5: box.seal(password) }) });
    if (isOther) deleteSessionsOfUser(db, known.id, session);
    return "updated";
  },
};
