import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import { localPath } from "../../platform/http/local-address.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { ExternalUsers } from "../sign-in/external-users.service.ts";
import type { User } from "../users/users.repository.ts";
import { Attempts } from "./attempts.ts";
import { type IdentityRules, identityOf } from "./identity.ts";
import type { Provider } from "./provider.ts";
import type { SignInFailure } from "./sign-in-failure.ts";

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

interface OidcDependencies {
  box: SecretBox;
  clock: Clock;
  log: Log;
  users: ExternalUsers;
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

/** What stands on the client library: fetched with the first sign-in, as it takes memory, and most have no provider. */
async function library() {
  const [provider, failures] = await Promise.all([import("./provider.ts"), import("./sign-in-failure.ts")]);
  return { ...provider, ...failures };
}

/** Where the provider sends browsers back to. */
export const CALLBACK = "/login/oidc/callback";

/** Signing in with an OpenID provider. */
export class OidcLogin {
  readonly #attempts: Attempts;
  #provider: Provider | null = null;

  constructor(
    private readonly options: OidcOptions,
    private readonly dependencies: OidcDependencies,
  ) {
    this.#attempts = new Attempts(dependencies.box, dependencies.clock);
  }

  get name(): string {
    return this.options.name;
  }

  /**
   * Begins a sign-in.
   * @param next where the browser wants to go afterwards; a path of this server, or it is the start page
   * @returns where to send the browser, and what it has to bring back; or why that cannot be
   */
  async begin(next: string): Promise<{ url: URL; attempt: string } | SignInFailure> {
    const { newProofs, signInFailureOf } = await library();
    const proofs = newProofs();
    const wanted = localPath(next);
    const path = wanted && !wanted.pathname.startsWith("/login/") ? wanted.pathname + wanted.search : "/";
    try {
      const url = await (await this.#theProvider()).authorizationUrl(proofs);
      return { url, attempt: this.#attempts.seal({ ...proofs, next: path }) };
    } catch (error) {
      await this.#log("the OpenID provider cannot be asked", error);
      return signInFailureOf(error) === "unreachable" ? "unreachable" : "invalid";
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
  ): Promise<{ user: User; next: string } | SignInFailure> {
    const begun = this.#attempts.redeem(attempt, query.get("state") ?? "");
    if (!begun) return "expired";
    try {
      const provider = await this.#theProvider();
      const identity = identityOf(await provider.claims(query, begun), this.options);
      if (identity)
        return { user: this.dependencies.users.signInFromProvider(identity, address), next: begun.next };
      this.dependencies.users.refused("oidc", "forbidden", address);
      return "forbidden";
    } catch (error) {
      const failure = (await library()).signInFailureOf(error);
      this.dependencies.users.refused("oidc", failure, address);
      if (failure !== "denied") await this.#log("a sign-in with the OpenID provider failed", error);
      return failure;
    }
  }

  async #theProvider(): Promise<Provider> {
    const { Provider } = await library();
    const { adminGroup, allowedGroup, baseUrl } = this.options;
    this.#provider ??= new Provider(
      {
        ...this.options,
        wantsGroups: adminGroup !== null || allowedGroup !== null,
        redirectUri: new URL(CALLBACK, baseUrl),
      },
      this.dependencies.clock,
    );
    return this.#provider;
  }

  async #log(what: string, error: unknown): Promise<void> {
    const { reasonOf } = await library();
    this.dependencies.log.warn(what, { issuer: this.options.issuer.href, reason: reasonOf(error) });
  }
}
