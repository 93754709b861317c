/** A real OpenID provider on this machine, at which people sign in by pressing a button, or without. */
import { generateKeyPairSync } from "node:crypto";
import type { Server } from "node:http";
import Provider from "oidc-provider";
import { freePort } from "../../e2e/support.ts";

export const CLIENT_ID = "muster";
export const CLIENT_SECRET = "a secret of Muster and the provider";

const PAGE = `<!doctype html><title>Provider</title><form method="post"><button>Continue</button></form>`;

interface Settings {
  /** Where it sends browsers back to. */
  redirectUri: string;
  port?: number;
  /** Name of this machine in the issuer. */
  host?: string;
  /** Whether a page comes first. */
  interactive?: boolean;
  /** Whether claims are also in the ID token, not only in the user info. */
  claimsInToken?: boolean;
  tokenAuth?: "client_secret_basic" | "client_secret_post";
}

export class TestProvider implements Disposable {
  /** The user in front of the browser; null refuses. */
  who: string | null = "sub-ada";
  /** The claims about them. */
  readonly people: Record<string, Record<string, unknown>> = {
    "sub-ada": {
      preferred_username: "ada",
      name: "Ada Lovelace",
      email: "ada@example.org",
      groups: ["staff", "admins"],
    },
    "sub-bob": { preferred_username: "bob", name: "Bob", email: "bob@example.org", groups: ["staff"] },
  };
  readonly issuer: string;
  readonly #server: Server;

  constructor(settings: Settings) {
    const { port = freePort(), host = "127.0.0.1", interactive = false, claimsInToken = false } = settings;
    this.issuer = `http://${host}:${port}`;
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          redirect_uris: [settings.redirectUri],
          response_types: ["code"],
          grant_types: ["authorization_code"],
          token_endpoint_auth_method: settings.tokenAuth ?? "client_secret_basic",
        },
      ],
      clientAuthMethods: [settings.tokenAuth ?? "client_secret_basic"],
      claims: {
        openid: ["sub"],
        profile: ["name", "preferred_username"],
        email: ["email"],
        groups: ["groups"],
      },
      scopes: ["openid", "profile", "email", "groups"],
      conformIdTokenClaims: !claimsInToken,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
      cookies: { keys: ["of a test"] },
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, ...this.people[accountId] }),
      }),
      loadExistingGrant: async ({ oidc }: { oidc: { session: { accountId: string } } }) => {
        const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: CLIENT_ID });
        grant.addOIDCScope("openid profile email groups");
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      if (context.path === "/favicon.ico") {
        context.status = 204;
        return;
      }
      if (!context.path.startsWith("/interaction/")) return next();
      if (interactive && context.method === "GET") {
        context.type = "html";
        context.body = PAGE;
        return;
      }
      context.respond = false;
      const result = this.who === null ? { error: "access_denied" } : { login: { accountId: this.who } };
      await provider.interactionFinished(context.req, context.res, result);
    });
    this.#server = provider.listen(port, "127.0.0.1");
  }

  get port(): number {
    return Number(new URL(this.issuer).port);
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
