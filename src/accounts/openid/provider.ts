import * as openid from "openid-client";
import type { Clock } from "../../platform/clock.ts";
import { CALLBACK, type OidcOptions } from "./oidc-options.ts";
import { isOfUnknownKey, isOfWrongSignature, OutdatedKeys } from "./sign-in-failure.ts";

/** Values created for one sign-in and verified when the browser returns. */
export interface Proofs {
  state: string;
  nonce: string;
  /** PKCE: proves to the provider that the code is redeemed by the client that requested it. */
  verifier: string;
}

export type Claims = Record<string, unknown>;

/** Default time limit of a request to the provider, seconds. */
const TIMEOUT = 10;
/** Age at which the provider's metadata is fetched again, seconds. */
const DISCOVERY_AGE = 3600;

/** Random values for one sign-in, never used for another. */
export function newProofs(): Proofs {
  return {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  };
}

/** Client authentication: client_secret_basic, the default of the standard, or none for a public client. */
function clientAuthentication(secret: string | null): openid.ClientAuth {
  if (secret === null) return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...options) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...options);
  };
}

/** An OpenID provider. It is contacted during sign-ins only. */
export class Provider {
  #discovered: { config: openid.Configuration; at: number } | null = null;
  #asking: Promise<openid.Configuration> | null = null;

  constructor(
    private readonly options: OidcOptions,
    private readonly clock: Clock,
  ) {}

  get #redirectUri(): URL {
    return new URL(CALLBACK, this.options.baseUrl);
  }

  /** Address of the sign-in page. @throws when the provider is unreachable or its metadata invalid */
  async authorizationUrl({ state, nonce, verifier }: Proofs): Promise<URL> {
    const config = await this.#configuration();
    const knowsGroups = config.serverMetadata().scopes_supported?.includes("groups");
    return openid.buildAuthorizationUrl(config, {
      redirect_uri: this.#redirectUri.href,
      scope: `openid profile email${knowsGroups ? " groups" : ""}`,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
  }

  /**
   * Redeems the code that the browser brought back. State, issuer, audience, nonce, times and the ID token's
   * signature are verified. An ID token with an unknown key, or with a wrong signature by keys of an earlier sign-in, ends
   * the use of these keys: the library would fetch none again within one or five minutes. Strangers cannot cause that, as a
   * token requires a code of the provider.
   * @param query of the address to which the browser returned
   * @returns the claims about the user; `iss` and `sub` are texts
   */
  async claims(
    query: URLSearchParams,
    { state, nonce, verifier }: Proofs,
  ): Promise<Claims & { iss: string; sub: string }> {
    const config = await this.#configuration();
    const address = this.#redirectUri;
    address.search = query.toString();
    const hadKeys = openid.getJwksCache(config) !== undefined;
    const redeeming = openid.authorizationCodeGrant(config, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const tokens = await redeeming.catch((error: unknown) => {
      const isOutdated = hadKeys && isOfWrongSignature(error);
      if (isOutdated || isOfUnknownKey(error)) this.#discovered = null;
      throw isOutdated ? new OutdatedKeys("a signature is wrong", { cause: error }) : error;
    });
    const claims = tokens.claims();
    if (!claims) throw new Error("the provider sent no ID token");
    if (!config.serverMetadata().userinfo_endpoint) return claims;
    // Many providers omit names and groups from the ID token and return them here only.
    return { ...(await openid.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  }

  async #configuration(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.options;
    if (this.#discovered && this.clock.now() - this.#discovered.at < DISCOVERY_AGE)
      return this.#discovered.config;
    const insecure = issuer.protocol === "http:" ? [openid.allowInsecureRequests] : [];
    this.#asking ??= openid
      .discovery(issuer, clientId, undefined, clientAuthentication(clientSecret), {
        timeout: this.options.timeout ?? TIMEOUT,
        execute: [...insecure, openid.enableNonRepudiationChecks],
      })
      .finally(() => {
        this.#asking = null;
      });
    const config = await this.#asking;
    this.#discovered = { config, at: this.clock.now() };
    return config;
  }
}
