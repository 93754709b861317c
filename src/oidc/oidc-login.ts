import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { localPath } from "../http/local-address.ts";
import type { Log } from "../log.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import type { User } from "../users/users.repository.ts";
import type { VouchedUsers } from "../users/vouched-users.service.ts";
import { Attempts } from "./attempts.ts";
import { type IdentityRules, identityOf } from "./identity.ts";
import { newProofs, Provider } from "./provider.ts";
import { reasonOf, type Trouble, troubleOf } from "./trouble.ts";

export interface OidcOptions extends IdentityRules {
  issuer: URL;
  clientId: string;
  /** null for a public client. */
  clientSecret: string | null;
  /** What the provider is called on the button. */
  name: string;
  /** Origin under which browsers reach Muster. */
  baseUrl: URL;
  /** How long each request to the provider may take, seconds. */
  timeout?: number;
}

interface OidcParts {
  box: SecretBox;
  clock: Clock;
  log: Log;
  users: VouchedUsers;
}

/** The options out of the settings; null where no provider is set up. */
export function oidcOptions(config: Config): OidcOptions | null {
  const { oidcIssuer, oidcClientId, baseUrl } = config;
  if (!oidcIssuer || oidcClientId === null || !baseUrl) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: config.oidcClientSecret,
    groupsClaim: config.oidcGroupsClaim,
    adminGroup: config.oidcAdminGroup,
    allowedGroup: config.oidcAllowedGroup,
    name: config.oidcName,
    baseUrl,
  };
}

/** Where the provider sends browsers back to. */
export const CALLBACK = "/login/oidc/callback";

/** Signing in with an OpenID provider. */
export class OidcLogin {
  readonly #attempts: Attempts;
  readonly #provider: Provider;

  constructor(
    private readonly options: OidcOptions,
    private readonly parts: OidcParts,
  ) {
    const { adminGroup, allowedGroup, baseUrl } = options;
    this.#attempts = new Attempts(parts.box, parts.clock);
    this.#provider = new Provider(
      {
        ...options,
        wantsGroups: adminGroup !== null || allowedGroup !== null,
        redirectUri: new URL(CALLBACK, baseUrl),
      },
      parts.clock,
    );
  }

  get name(): string {
    return this.options.name;
  }

  /**
   * Begins a sign-in.
   * @param next where the browser wants to go afterwards; a path of this server, or it is the start page
   * @returns where to send the browser, and what it has to bring back; or why that cannot be
   */
  async begin(next: string): Promise<{ url: URL; attempt: string } | Trouble> {
    const proofs = newProofs();
    const wanted = localPath(next);
    const path = wanted && !wanted.pathname.startsWith("/login/") ? wanted.pathname + wanted.search : "/";
    try {
      const url = await this.#provider.authorizationUrl(proofs);
      return { url, attempt: this.#attempts.seal({ ...proofs, next: path }) };
    } catch (error) {
      this.#log("the OpenID provider cannot be asked", error);
      return troubleOf(error) === "unreachable" ? "unreachable" : "invalid";
    }
  }

  /**
   * Ends a sign-in.
   * @param attempt what the browser brought back
   * @param query of the address the provider sent it to
   * @returns who has signed in, and where he wants to go; or why nobody has
   */
  async finish(
    attempt: string,
    query: URLSearchParams,
    address: string,
  ): Promise<{ user: User; next: string } | Trouble> {
    const begun = this.#attempts.redeem(attempt, query.get("state") ?? "");
    if (!begun) return "expired";
    try {
      const identity = identityOf(await this.#provider.claims(query, begun), this.options);
      if (identity) return { user: this.parts.users.signInFromProvider(identity, address), next: begun.next };
      this.parts.users.refused("oidc", "forbidden", address);
      return "forbidden";
    } catch (error) {
      const trouble = troubleOf(error);
      this.parts.users.refused("oidc", trouble, address);
      if (trouble !== "denied") this.#log("a sign-in with the OpenID provider failed", error);
      return trouble;
    }
  }

  #log(what: string, error: unknown): void {
    this.parts.log.warn(what, { issuer: this.options.issuer.href, reason: reasonOf(error) });
  }
}
