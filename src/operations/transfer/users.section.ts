import * as v from "valibot";
import { grantsOf, setGrants } from "../../accounts/grants/grants.repository.ts";
import { grantsText } from "../../accounts/grants/grants.service.ts";
import { deleteSessionsOfUser } from "../../accounts/sessions/sessions.repository.ts";
import { allUsers, changeUser, findUser, insertUser } from "../../accounts/users/users.repository.ts";
import { uname } from "../../accounts/users/users.schemas.ts";
import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import type { Details } from "../../platform/http/audit-details.ts";
import { errors } from "../../platform/http/errors.ts";
import { LEVELS } from "../../platform/http/scope.ts";
import { text } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import { idOfGroup } from "./groups.section.ts";
import type { Section, TransferDependencies } from "./section.ts";

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
const level = v.strictObject({ group: v.string(), level: v.picklist(LEVELS) });
const userSchema = v.strictObject({
  ...details,
  /** Whether they see only the hosts of the groups in `levels`. If a file has neither, both are kept. */
  restricted: v.optional(v.boolean()),
  /** By names of host groups. */
  levels: v.optional(v.array(level)),
  /** MD5 in upper case; only in a file with secrets. */
  password: v.optional(v.pipe(v.string(), v.regex(/^(?:[0-9A-F]{32})?$/))),
});

type Levels = Pick<v.InferOutput<typeof userSchema>, "restricted" | "levels">;

/** @throws ApiError 400 for an unknown group */
function importLevels(db: Db, userId: number, { restricted, levels }: Levels): void {
  if (restricted === undefined && levels === undefined) return;
  const grants = (levels ?? []).map(({ group, level }) => ({ groupid: idOfGroup(db, group), level }));
  const unique = [...new Map(grants.map((grant) => [grant.groupid, grant])).values()];
  setGrants(db, userId, { grants: unique, restricted: restricted === true || unique.length > 0 });
}

function stateOf({ db }: TransferDependencies, user: { uname: string }): Details | null {
  const stored = findUser(db, user.uname);
  if (!stored) return null;
  const { fullname, title, email, phone, mobile, imname, imtype, admin, restricted, passwordMd5 } = stored;
  const grants = grantsText(grantsOf(db, stored.id));
  // The sealed password: it changes only if the password does, since the same one is not sealed again. The audit log
  // masks it.
  const password = passwordMd5;
  return { fullname, title, email, phone, mobile, imname, imtype, admin, restricted, grants, password };
}

/**
 * Users with a local password, without pictures, sessions, API tokens and second factors. Externally
 * authenticated users are not included: they are created again when they first sign in.
 */
export const usersSection: Section<v.InferOutput<typeof userSchema>> = {
  name: "users",
  schema: userSchema,
  nameOf: (user) => user.uname,
  // An import is written in steps. After each of them an administrator must remain.
  isFirst: ({ admin }) => admin,
  exportItems: ({ db, box }, withSecrets) =>
    allUsers(db)
      .filter(({ origin }) => origin === "local")
      .map((user) => ({
        ...v.parse(v.object(details), user),
        restricted: user.restricted,
        levels: grantsOf(db, user.id).flatMap(({ groupid, level }) => {
          const group = findGroup(db, groupid)?.name;
          return group === undefined ? [] : [{ group, level }];
        }),
        ...(withSecrets && { password: box.open(user.passwordMd5) }),
      })),
  importItem: ({ db, box, clock }, { password, restricted, levels, ...user }, { session }) => {
    const stored = findUser(db, user.uname);
    if (!stored) {
      const id = insertUser(db, { ...user, passwordMd5: box.seal(password ?? "") });
      importLevels(db, id, { restricted, levels });
      return password ? "created" : "incomplete";
    }
    // An import must not take over an account that signs in another way.
    if (stored.origin !== "local")
      throw errors.badRequest("There is a user of this name who signs in another way");
    const isOther = password !== undefined && password !== box.open(stored.passwordMd5);
    const changes = { ...user, ...(isOther && { passwordMd5: box.seal(password) }) };
    changeUser(db, stored, changes, clock.now());
    importLevels(db, stored.id, { restricted, levels });
    if (isOther) deleteSessionsOfUser(db, stored.id, session);
    return "updated";
  },
  recorded: {
    subject: "user",
    stateOf,
    // As admin/users/update and admin/users/delete do.
    refuseChange: ({ uname }, { actor }) => {
      if (actor.via === "token" && uname === actor.uname) throw errors.loginNeeded();
    },
  },
};
