import type { ExternalUser } from "../../platform/http/context.ts";
import type { User } from "../users/users.repository.ts";
import type { ExternalUsers } from "./external-users.service.ts";

export interface ProxyLoginOptions {
  /** Whether an account is made for whom the proxy signs in first. */
  create: boolean;
  /** Its members are administrators, others are not; null: roles are given here. */
  adminGroup: string | null;
}

/** Signing in whom a trusted proxy has signed in. */
export class ProxyLogin {
  constructor(
    private readonly users: ExternalUsers,
    private readonly options: ProxyLoginOptions,
  ) {}

  /** @throws ApiError 403, 409 */
  signIn({ uname, groups }: ExternalUser, address: string): User {
    const { create, adminGroup } = this.options;
    const admin = adminGroup === null ? null : (groups ?? []).includes(adminGroup);
    return this.users.signInFromProxy({ uname, admin }, create, address);
  }
}
