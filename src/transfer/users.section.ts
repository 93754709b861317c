import * as v from "valibot";
import { errors } from "../http/errors.ts";
import { text } from "../http/validate.ts";
import { deleteSessionsOfUser } from "../sessions/sessions.repository.ts";
import { findUser, insertUser, updateUser } from "../users/users.repository.ts";
import { uname } from "../users/users.schemas.ts";
import type { Section } from "./section.ts";
import { usersToGive } from "./transfer.repository.ts";

const short = text(0, 255);

const userSchema = v.object({
  uname,
  fullname: short,
  title: short,
  email: short,
  phone: short,
  mobile: short,
  imname: short,
  imtype: short,
  admin: v.boolean(),
  origin: v.picklist(["local", "oidc", "proxy"]),
  subject: v.nullable(v.string()),
  /** MD5, upper case; only in a file with secrets. */
  password: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9A-F]{32})?$/))),
});

/** Users without their pictures, logins, API tokens and second factors. */
export const usersSection: Section<v.InferOutput<typeof userSchema>> = {
  name: "users",
  schema: userSchema,
  nameOf: (user) => user.uname,
  give: ({ db, box }, withSecrets) =>
    usersToGive(db).map(({ passwordMd5, ...user }) => ({
      ...user,
      ...(withSecrets && { password: box.open(passwordMd5) }),
    })),
  take: ({ db, box }, { password, ...user }) => {
    const known = findUser(db, user.uname);
    const lacking = user.origin === "local" && !password;
    if (!known) {
      insertUser(db, { ...user, passwordMd5: box.seal(password ?? "") });
      return lacking ? "incomplete" : "created";
    }
    // An account is never taken over by another way to sign in.
    if (known.origin !== user.origin || known.subject !== user.subject)
      throw errors.conflict("user.exists", "There is a user of this name who signs in another way");
    const isOther = password !== undefined && password !== box.open(known.passwordMd5);
    updateUser(db, known.id, { ...user, ...(isOther && { passwordMd5: box.seal(password) }) });
    if (isOther) deleteSessionsOfUser(db, known.id);
    return "updated";
  },
};
