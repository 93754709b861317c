import type { Clock } from "../../platform/clock.ts";
import { changesBetween } from "../../platform/http/audit-details.ts";
import type { ExternalUser } from "../../platform/http/context.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { anonymousActor, signedInActor } from "../audit/actor.ts";
import type { Audit } from "../audit/audit.service.ts";
import type { Grants } from "../grants/grants.service.ts";
import { accountErrors } from "../users/users.errors.ts";
import {
  changeUser,
  findUser,
  findUserOfSubject,
  insertUser,
  isNameTaken,
  type NewUser,
  type User,
} from "../users/users.repository.ts";

const MAX_NAME = 64;

/** A user as an OpenID provider describes them. */
export interface Identity {
  /** Issuer and subject, which never identify another user. */
  subject: string;
  /** Preferred login name. */
  name: string;
  /** "" when the provider does not supply it. */
  fullname: string;
  email: string;
  groups: readonly string[];
  /** null when the provider does not decide roles. */
  admin: boolean | null;
}

export interface ProxyLoginOptions {
  /** Whether to create an account at a user's first sign-in. */
  create: boolean;
  /** Group whose members are administrators, and only they; null: roles are assigned in Muster. */
  adminGroup: string | null;
}

/** Signs in a user authenticated by a trusted proxy. */
export type ProxyLogin = (user: ExternalUser, address: string) => User;

/** Derives a readable login name from a name at a provider. */
function safeName(text: string): string {
  const safe = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._@+-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return [...safe].slice(0, MAX_NAME).join("") || "user";
}

/** Externally authenticated users: they have an account in Muster, but no password. */
export class ExternalUsers {
  constructor(
    private readonly db: Db,
    private readonly audit: Audit,
    private readonly grants: Grants,
    private readonly clock: Clock,
  ) {}

  /**
   * The user with this identity at the provider, created at the first sign-in. Full name, e-mail and, if the provider
   * decides it, the role are updated at each sign-in. The login name stays; it is never one already in use.
   */
  signInFromProvider({ subject, name, admin, groups, ...details }: Identity, address: string): User {
    return transaction(this.db, () => {
      const user = findUserOfSubject(this.db, subject);
      const changes = {
        ...(details.fullname !== "" && { fullname: details.fullname }),
        ...(details.email !== "" && { email: details.email }),
        ...(admin !== null && { admin }),
      };
      if (user) return this.#follow(user, changes, groups, address);
      const uname = this.#freeName(safeName(name));
      return this.#create(
        { uname, fullname: uname, ...changes, passwordMd5: "", origin: "oidc", subject },
        groups,
        address,
      );
    });
  }

  /** The sign-in throws ApiError 403 when there is no account, 409 when the account is of another origin. */
  proxyLogin(options: ProxyLoginOptions): ProxyLogin {
    return (user, address) => this.#signInFromProxy(user, options, address);
  }

  #signInFromProxy(
    { uname, groups }: ExternalUser,
    { create, adminGroup }: ProxyLoginOptions,
    address: string,
  ): User {
    const outcome = transaction(this.db, () => {
      const user = findUser(this.db, uname);
      const changes = adminGroup === null ? {} : { admin: groups?.includes(adminGroup) ?? false };
      if (user?.origin === "proxy") return this.#follow(user, changes, groups ?? [], address);
      if (!user && create)
        return this.#create(
          { uname, fullname: uname, ...changes, passwordMd5: "", origin: "proxy" },
          groups ?? [],
          address,
        );
      this.refused("proxy", user ? "name taken" : "no account", address, user ? uname : "");
      return user ? accountErrors.nameTaken(uname) : accountErrors.noAccount(uname);
    });
    // Thrown after the transaction, so that the audit entry is kept.
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  }

  /** Records a rejected sign-in. @param uname of the account, if there is one */
  refused(through: "oidc" | "proxy", reason: string, address: string, uname = ""): void {
    const details = { through, reason };
    this.audit.add(anonymousActor(uname, address), { operation: "login/failed", details });
  }

  #create(row: NewUser, groups: readonly string[], address: string): User {
    insertUser(this.db, row);
    const user = findUser(this.db, row.uname);
    if (!user) throw new Error(`the user ${row.uname} does not exist after its creation`);
    const levels = this.grants.follow(user.id, user.restricted, groups);
    this.#record("login/created", user, address, { origin: user.origin, admin: user.admin, ...levels });
    this.#record("login", user, address, { through: user.origin });
    return user;
  }

  #follow(
    user: User,
    changes: Partial<Pick<User, "fullname" | "email" | "admin">>,
    groups: readonly string[],
    address: string,
  ): User {
    const current = { fullname: user.fullname, email: user.email, admin: user.admin };
    const levels = this.grants.follow(user.id, user.restricted, groups);
    const difference = { ...changesBetween(current, { ...current, ...changes }), ...levels };
    if (Object.keys(difference).length > 0) {
      if (Object.keys(changes).length > 0) changeUser(this.db, user, changes, this.clock.now());
      this.#record("login/updated", user, address, difference);
    }
    this.#record("login", user, address, { through: user.origin });
    return { ...user, ...changes };
  }

  #record(operation: string, { uname }: User, address: string, details: Record<string, unknown>): void {
    const actor = signedInActor(uname, address);
    this.audit.add(actor, { operation, subject: "user", subjectId: uname, details });
  }

  #freeName(preferred: string): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? preferred : `${preferred}-${i}`;
      if (!isNameTaken(this.db, name)) return name;
    }
  }
}
