import { createSign, generateKeyPairSync } from "node:crypto";

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function keyPair(kid: string) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" } };
}

// Made once: to make a pair takes as long as several sign-ins.
const KEYS = keyPair("1");
const FOREIGN_KEYS = keyPair("1");
const NEXT_KEYS = keyPair("2");
const SAME_ID_KEYS = keyPair("1");

/** What a dishonest provider changes; by default everything is correct. */
export interface Forgery {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Signed by a key that it does not publish. */
  foreignKey?: boolean;
  /** In place of the ID token. */
  idToken?: string | null;
  userinfo?: Record<string, unknown>;
  discovery?: Record<string, unknown>;
  /** In place of the answer of the token endpoint. */
  answer?: () => Response | Promise<Response>;
}

/** A provider whose replies are made by hand, to forge them. */
export class ForgingProvider implements Disposable {
  readonly #server: Bun.Server<undefined>;
  /** What the last sign-in asked for. */
  nonce = "";
  /** Paths of the requests. */
  readonly asked: string[] = [];
  #keys = KEYS;

  constructor(
    clientId: string,
    private readonly forgery: Forgery,
  ) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => this.#answer(new URL(request.url).pathname, clientId),
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Signs with another key from now on, and publishes only that. @param kid its id; that of the first key is "1" */
  rotateKeys(kid: "1" | "2" = "2"): void {
    this.#keys = kid === "1" ? SAME_ID_KEYS : NEXT_KEYS;
  }

  #answer(path: string, clientId: string): Response | Promise<Response> {
    const { issuer, forgery } = this;
    this.asked.push(path);
    if (path === "/.well-known/openid-configuration")
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/me`,
        id_token_signing_alg_values_supported: ["RS256"],
        ...forgery.discovery,
      });
    if (path === "/jwks") return Response.json({ keys: [this.#keys.jwk] });
    if (path === "/me") return Response.json({ sub: "sub-ada", ...forgery.userinfo });
    if (forgery.answer) return forgery.answer();
    const token = forgery.idToken === undefined ? this.#idToken(clientId) : forgery.idToken;
    return Response.json({
      access_token: "x",
      token_type: "bearer",
      ...(token !== null && { id_token: token }),
    });
  }

  #idToken(clientId: string): string {
    const now = Math.floor(Date.now() / 1000);
    const { issuer, nonce, forgery } = this;
    const head = part({ alg: "RS256", kid: this.#keys.jwk.kid, ...forgery.header });
    const claims = { iss: issuer, sub: "sub-ada", aud: clientId, iat: now, exp: now + 300, nonce };
    const signed = `${head}.${part({ ...claims, preferred_username: "ada", ...forgery.claims })}`;
    const { privateKey } = forgery.foreignKey ? FOREIGN_KEYS : this.#keys;
    return `${signed}.${createSign("sha256").update(signed).sign(privateKey, "base64url")}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}
