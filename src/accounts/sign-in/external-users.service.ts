import { changesBetween } from "../../platform/http/audit-details.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Actor } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import { accountErrors } from "../users/users.errors.ts";
import {
  findUser,
  findUserOfSubject,
  insertUser,
  isNameTaken,
  type NewUser,
  type User,
  updateUser,
} from "../users/users.repository.ts";

const MAX_NAME = 64;

/** Somebody whom an OpenID provider knows. */
export interface Identity {
  /** Issuer and subject: never anybody else's. */
  subject: string;
  /** What he would like to be called here. */
  name: string;
  /** "" when the provider does not say. */
  fullname: string;
  email: string;
  /** null when the provider does not decide on it. */
  admin: boolean | null;
}

/** Somebody whom a proxy has signed in. */
export interface ProxyIdentity {
  uname: string;
  /** null when the proxy does not decide on it. */
  admin: boolean | null;
}

/** A login name that is easily typed and read, made of whatever a provider calls somebody. */
export function safeName(text: string): string {
  const safe = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._@+-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return [...safe].slice(0, MAX_NAME).join("") || "user";
}

/** Users for whom somebody else vouches: they have an account here, and no password. */
export class ExternalUsers {
  constructor(
    private readonly db: Db,
    private readonly audit: Audit,
  ) {}

  /**
   * The user whom the provider means, made at his first sign-in. Full name, e-mail and, if the provider decides on it,
   * the role follow the provider; the login name stays. It is never one that somebody had before.
   */
  signInFromProvider({ subject, name, admin, ...details }: Identity, address: string): User {
    return transaction(this.db, () => {
      const known = findUserOfSubject(this.db, subject);
      const given = {
        ...(details.fullname !== "" && { fullname: details.fullname }),
        ...(details.email !== "" && { email: details.email }),
        ...(admin !== null && { admin }),
      };
      if (known) return this.#follow(known, given, address);
      const uname = this.#freeName(safeName(name));
      return this.#create(
        { uname, fullname: uname, ...given, passwordMd5: "", origin: "oidc", subject },
        address,
      );
    });
  }

  /**
   * The user of this name whom the proxy means.
   * @param create whether one is made at his first sign-in
   * @throws ApiError 403 when there is none, 409 when the name is that of an account of another kind
   */
  signInFromProxy({ uname, admin }: ProxyIdentity, create: boolean, address: string): User {
    const outcome = transaction(this.db, () => {
      const known = findUser(this.db, uname);
      const given = admin === null ? {} : { admin };
      if (known?.origin === "proxy") return this.#follow(known, given, address);
      if (!known && create)
        return this.#create({ uname, fullname: uname, ...given, passwordMd5: "", origin: "proxy" }, address);
      this.refused("proxy", known ? "name taken" : "no account", address, known ? uname : "");
      return known ? accountErrors.nameTaken(uname) : accountErrors.noAccount(uname);
    });
    // Thrown outside, so that the record of it stays.
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  }

  /** Records a sign-in that was refused. @param uname of the account, if there is one */
  refused(through: "oidc" | "proxy", reason: string, address: string, uname = ""): void {
    this.audit.add(
      { uname, address, via: "none", token: "" },
      { operation: "login/failed", details: { through, reason } },
    );
  }

  #create(row: NewUser, address: string): User {
    insertUser(this.db, row);
    const user = findUser(this.db, row.uname);
    if (!user) throw new Error(`the user ${row.uname} is not there after it was made`);
    this.#record("login/created", user, address, { origin: user.origin, admin: user.admin });
    this.#record("login", user, address, { through: user.origin });
    return user;
  }

  #follow(user: User, given: Partial<Pick<User, "fullname" | "email" | "admin">>, address: string): User {
    const present = { fullname: user.fullname, email: user.email, admin: user.admin };
    const changes = changesBetween(present, { ...present, ...given });
    if (Object.keys(changes).length > 0) {
      updateUser(this.db, user.id, given);
      this.#record("login/updated", user, address, changes);
    }
    this.#record("login", user, address, { through: user.origin });
    return { ...user, ...given };
  }

  #record(operation: string, { uname }: User, address: string, details: Record<string, unknown>): void {
    const actor: Actor = { uname, address, via: "login", token: "" };
    this.audit.add(actor, { operation, subject: "user", subjectId: uname, details });
  }

  #freeName(wanted: string): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? wanted : `${wanted}-${i}`;
      if (!isNameTaken(this.db, name)) return name;
    }
  }
}
