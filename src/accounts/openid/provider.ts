import * as openid from "openid-client";
import type { Clock } from "../../platform/clock.ts";

export interface ProviderOptions {
  issuer: URL;
  clientId: string;
  /** null for a public client. */
  clientSecret: string | null;
  /** Whether groups matter, so that they are asked for. */
  wantsGroups: boolean;
  /** Where the provider sends browsers back to. */
  redirectUri: URL;
  /** How long each request to the provider may take, seconds. */
  timeout?: number;
}

/** What one sign-in has to find again when the browser comes back. */
export interface Proofs {
  state: string;
  nonce: string;
  /** PKCE: shows the provider that who redeems the code is who asked for it. */
  verifier: string;
}

export type Claims = Record<string, unknown>;

/** How long each request to the provider may take unless told otherwise, seconds. */
const TIMEOUT = 10;
/** What the provider says of itself is asked for again after this long, seconds. */
const DISCOVERY_AGE = 3600;

export function newProofs(): Proofs {
  return {
    state: openid.randomState(),
    nonce: openid.randomNonce(),
    verifier: openid.randomPKCECodeVerifier(),
  };
}

/** How to prove who asks: as the provider's standard says clients do unless they agreed on something else. */
function clientAuthentication(secret: string | null): openid.ClientAuth {
  if (secret === null) return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

/** An OpenID provider, asked when somebody signs in and never before. */
export class Provider {
  #known: { config: openid.Configuration; at: number } | null = null;
  #asking: Promise<openid.Configuration> | null = null;

  constructor(
    private readonly options: ProviderOptions,
    private readonly clock: Clock,
  ) {}

  /** Where to send the browser. @throws when the provider cannot be reached or makes no sense */
  async authorizationUrl({ state, nonce, verifier }: Proofs): Promise<URL> {
    const config = await this.#configuration();
    const knowsGroups = config.serverMetadata().scopes_supported?.includes("groups") ?? false;
    return openid.buildAuthorizationUrl(config, {
      redirect_uri: this.options.redirectUri.href,
      scope: [
        "openid",
        "profile",
        "email",
        ...(this.options.wantsGroups && knowsGroups ? ["groups"] : []),
      ].join(" "),
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
  }

  /**
   * Redeems the code that the browser brought back. Checked are state, issuer, audience, nonce, times and the signature
   * of the ID token. @param query of the address the browser came back to
   * @returns what the provider says of the user; `iss` and `sub` are texts
   */
  async claims(
    query: URLSearchParams,
    { state, nonce, verifier }: Proofs,
  ): Promise<Claims & { iss: string; sub: string }> {
    const config = await this.#configuration();
    const address = new URL(this.options.redirectUri);
    address.search = query.toString();
    const tokens = await openid.authorizationCodeGrant(config, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error("the provider gave no ID token");
    if (!config.serverMetadata().userinfo_endpoint) return claims;
    // Many providers keep the ID token small and tell names and groups here.
    return { ...(await openid.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  }

  async #configuration(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.options;
    if (this.#known && this.clock.now() - this.#known.at < DISCOVERY_AGE) return this.#known.config;
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
    this.#known = { config, at: this.clock.now() };
    return config;
  }
}
