import type { ExternalUser } from "../../platform/http/context.ts";
import type { User } from "../users/users.repository.ts";
import type { ExternalUsers } from "./external-users.service.ts";

export interface ProxyLoginOptions {
  /** Whether to create an account at a user's first sign-in. */
  create: boolean;
  /** Group whose members are administrators, and only they; null: roles are assigned in Muster. */
  adminGroup: string | null;
}

/** Signs in users authenticated by a trusted proxy. */
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
