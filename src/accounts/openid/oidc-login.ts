import type { Clock } from "../../platform/clock.ts";
import { localPath } from "../../platform/http/local-address.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { ExternalUsers } from "../sign-in/external-users.service.ts";
import type { User } from "../users/users.repository.ts";
import { Attempts } from "./attempts.ts";
import { identityOf } from "./identity.ts";
import type { OidcOptions } from "./oidc-options.ts";
import type { Provider } from "./provider.ts";
import type { SignInFailure } from "./sign-in-failure.ts";

interface OidcDependencies {
  box: SecretBox;
  clock: Clock;
  log: Log;
  users: ExternalUsers;
}

/** The client library, loaded at the first sign-in: it takes memory, and few installations need it. */
async function library() {
  const [provider, failures] = await Promise.all([import("./provider.ts"), import("./sign-in-failure.ts")]);
  return { ...provider, ...failures };
}

/**
 * Sign-ins with the OpenID provider. The browser keeps each attempt, sealed. A sign-in that fails throws no error:
 * `begin` and `finish` return the reason.
 */
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
   * @param next path of this server to open afterwards; anything else becomes the start page
   * @returns the provider's address and the sealed attempt for the browser to keep; or why the sign-in failed
   */
  async begin(next: string): Promise<{ url: URL; attempt: string } | SignInFailure> {
    const { newProofs, signInFailureOf } = await library();
    const proofs = newProofs();
    const localTarget = localPath(next);
    const path =
      localTarget && !localTarget.pathname.startsWith("/login/")
        ? localTarget.pathname + localTarget.search
        : "/";
    try {
      const url = await (await this.#theProvider()).authorizationUrl(proofs);
      return { url, attempt: this.#attempts.seal({ ...proofs, next: path }) };
    } catch (error) {
      await this.#log("the OpenID provider could not be contacted", error);
      return signInFailureOf(error) === "unreachable" ? "unreachable" : "invalid";
    }
  }

  /**
   * Completes a sign-in.
   * @param attempt the sealed attempt that the browser kept
   * @param query of the address to which the browser returned
   * @returns the user and the path to open; or why the sign-in failed
   */
  async finish(
    attempt: string,
    query: URLSearchParams,
    address: string,
  ): Promise<{ user: User; next: string } | SignInFailure> {
    const signIn = this.#attempts.redeem(attempt, query.get("state") ?? "");
    if (!signIn) return "expired";
    try {
      const provider = await this.#theProvider();
      const identity = identityOf(await provider.claims(query, signIn), this.options);
      if (identity)
        return { user: this.dependencies.users.signInFromProvider(identity, address), next: signIn.next };
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
    this.#provider ??= new Provider(this.options, this.dependencies.clock);
    return this.#provider;
  }

  async #log(message: string, error: unknown): Promise<void> {
    const { failureReason } = await library();
    this.dependencies.log.warn(message, { issuer: this.options.issuer.href, reason: failureReason(error) });
  }
}
