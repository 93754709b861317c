import * as v from "valibot";
import type { Clock } from "../../platform/clock.ts";
import type { Caller } from "../../platform/http/context.ts";
import { errors, found } from "../../platform/http/errors.ts";
import { allowedBy } from "../../platform/http/validate.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteSessionsOfUser } from "../sessions/sessions.repository.ts";
import { isMd5Of, md5 } from "./password.ts";
import { newPictureName, pictureMime } from "./picture-types.ts";
import { deletePicture, findPicture, putPicture } from "./pictures.repository.ts";
import { accountErrors } from "./users.errors.ts";
import {
  changeUser,
  countLocalAdmins,
  deleteUser,
  findUser,
  hasSecondFactor,
  insertUser,
  type NewUser,
  type User,
  updateUser,
} from "./users.repository.ts";
import { newPassword, type UserCreation, type UserUpdate, userReply } from "./users.schemas.ts";

/** @throws ApiError 404 */
export function existingUser(db: Db, uname: string): User {
  return found(findUser(db, uname), "user", uname);
}

/** @throws ApiError 409 if a user has this name */
export function refuseTaken(db: Db, uname: string): void {
  if (findUser(db, uname)) throw accountErrors.userExists(uname);
}

/** Users with their passwords and pictures. One administrator with a password always remains. */
export class Users {
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    /** Names what still uses a user, such as "the schedule Office". */
    private readonly usesOf: (userId: number) => readonly string[],
    private readonly clock: Clock,
  ) {}

  /** @param withPassword whether to include the password's hash @throws ApiError 404 */
  get(uname: string, withPassword: boolean) {
    const user = existingUser(this.db, uname);
    const password = withPassword ? this.box.open(user.passwordMd5) : "";
    return v.parse(userReply, { ...user, password, secondfactor: hasSecondFactor(user) });
  }

  /** @throws ApiError 409 when the name is taken */
  create({ password, ...user }: UserCreation): void {
    this.#insert({ ...user, passwordMd5: this.box.seal(md5(password)) });
  }

  /** Creates an account without a password for a user authenticated by a proxy. @throws ApiError 409 */
  createForProxy(uname: string, admin: boolean): void {
    this.#insert({ uname, fullname: uname, admin, passwordMd5: "", origin: "proxy" });
  }

  /**
   * Stores these details and keeps the others. An empty password leaves the password unchanged: callers who may not
   * see the MD5 get an empty one. A new password ends the user's sessions, except the caller's. The caller has
   * checked oldpassword (Login.confirmChange).
   * @throws ApiError 400 when the new password is too short, 403 for users who change their own role, 404, 409 when
   * no administrator would remain or the user has no password in Muster
   */
  update({ uname, password, oldpassword, admin, ...details }: UserUpdate, caller: Caller): void {
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      if (admin !== undefined && admin !== user.admin && !caller.admin) throw errors.adminNeeded();
      const current = this.box.open(user.passwordMd5);
      if (admin === false) this.#keepOneAdmin(user);
      changeUser(this.db, user, { ...details, admin }, this.clock.now());
      if (password === "" || password === oldpassword || isMd5Of(password, current)) return;
      if (user.origin !== "local") throw accountErrors.noPassword(uname);
      if (!v.is(newPassword, password)) throw errors.badArgument("password", allowedBy(newPassword) ?? "");
      updateUser(this.db, user.id, { passwordMd5: this.box.seal(md5(password)) });
      deleteSessionsOfUser(this.db, user.id, caller.session?.idHash);
    });
  }

  /** Sets a password without asking for the current one. Ends all sessions. @throws ApiError 404, 409 */
  setPassword(uname: string, password: string): void {
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      if (user.origin !== "local") throw accountErrors.noPassword(uname);
      updateUser(this.db, user.id, { passwordMd5: this.box.seal(md5(password)) });
      deleteSessionsOfUser(this.db, user.id);
    });
  }

  /** Deletes a user with everything that belongs to them; notes keep their name. @throws ApiError 404, 409 */
  delete(uname: string): void {
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      this.#keepOneAdmin(user);
      const uses = this.usesOf(user.id);
      if (uses.length > 0) throw accountErrors.userUsed(uname, uses);
      deleteUser(this.db, user, this.clock.now());
    });
  }

  /** Replaces a user's picture; null for none. @returns its name, "" for none @throws ApiError 400, 404 */
  setPicture(uname: string, bytes: Uint8Array | null): string {
    return transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      const image = bytes ? newPictureName(bytes) : "";
      if (image === null) throw errors.badArgument("image", "a PNG, JPEG or WebP file");
      if (bytes) putPicture(this.db, user.id, image, bytes);
      else deletePicture(this.db, user.id);
      updateUser(this.db, user.id, { image });
      return image;
    });
  }

  /** A user's picture by its name, with its content type; null when there is none. */
  picture(name: string): { bytes: Uint8Array<ArrayBuffer>; mime: string } | null {
    const mime = pictureMime(name);
    const bytes = mime ? findPicture(this.db, name) : null;
    return mime && bytes ? { bytes: new Uint8Array(bytes), mime } : null;
  }

  /** Keeps one administrator with a password, so that losing a provider or proxy locks nobody out. */
  #keepOneAdmin(user: User): void {
    const counts = user.admin && user.origin === "local" && user.passwordMd5 !== "";
    if (counts && countLocalAdmins(this.db, 2) === 1)
      throw accountErrors.lastAdmin(`${user.uname} is the last administrator`);
  }

  #insert(row: NewUser): void {
    transaction(this.db, () => {
      refuseTaken(this.db, row.uname);
      insertUser(this.db, row);
    });
  }
}
