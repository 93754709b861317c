import { signal } from "@preact/signals";
import type { Api } from "./client.ts";

export interface SignedInUser {
  uname: string;
  fullname: string;
  admin: boolean;
  image: string;
}

interface LoginReply {
  uname: string;
  fullname: string;
  admin: boolean;
  CSRFToken: string;
}

/** How one can sign in, as /login/methods tells. */
export interface LoginMethods {
  password: boolean;
  oidc: { name: string } | null;
  /** Whom the proxy in front has signed in. */
  proxy: { uname: string } | null;
  signedin: boolean;
}

/** Remembers in this browser that somebody is signed in: without it there is nothing to ask the service for. */
const HINT = "muster.signedin";

/** Who is signed in. */
export class Session {
  /** undefined: not known yet; null: nobody. */
  readonly user = signal<SignedInUser | null | undefined>(undefined);
  /** The login ended by itself, while the page was in use. */
  readonly expired = signal(false);
  /** The user signed out himself, on this page: he is not to be signed in again without asking. */
  left = false;
  readonly #api: Api;
  #heard: Promise<LoginMethods> | null = null;

  constructor(api: Api) {
    this.#api = api;
    api.onSignedOut = () => {
      // Several calls may be refused at once: the first one tells that somebody was signed in until now.
      if (this.user.peek()) this.expired.value = true;
      this.#forget();
    };
  }

  /** Takes up the session of the browser's cookie, if there is one. */
  async restore(): Promise<void> {
    // Who comes back from a provider is signed in without this page having seen it.
    if (localStorage.getItem(HINT) === null) {
      const methods = this.#askMethods();
      if (!(await methods).signedin) {
        this.#heard = methods;
        this.user.value = null;
        return;
      }
    }
    await this.#api.refreshToken();
    localStorage.setItem(HINT, "1");
    await this.refresh();
  }

  /** How one can sign in: what `restore` heard of it just now, otherwise asked for anew. */
  methods(): Promise<LoginMethods> {
    const heard = this.#heard ?? this.#askMethods();
    this.#heard = null;
    return heard;
  }

  #askMethods(): Promise<LoginMethods> {
    return this.#api.get<LoginMethods>("/login/methods");
  }

  /** Reads the user's own record again, after it changed. */
  async refresh(): Promise<void> {
    this.user.value = await this.#api.get<SignedInUser>("/session/user");
  }

  /**
   * @param code of the second factor, "" without one
   * @throws Problem 401 for wrong credentials and for a code that is needed and missing or wrong, 429 after too many
   */
  async signIn(uname: string, password: string, code: string): Promise<void> {
    const args = { z_username: uname, z_password: password, ...(code !== "" && { z_totp: code }) };
    await this.#signedIn(await this.#api.post<LoginReply>("/login", args));
  }

  /** Signs in as whom the proxy in front has signed in. @throws Problem when he has no account here */
  async signInThroughProxy(): Promise<void> {
    await this.#signedIn(await this.#api.post<LoginReply>("/login/proxy"));
  }

  async #signedIn(reply: LoginReply): Promise<void> {
    this.#api.csrfToken = reply.CSRFToken;
    localStorage.setItem(HINT, "1");
    this.expired.value = false;
    await this.refresh();
  }

  async signOut(): Promise<void> {
    await this.#api.post("/session/invalidate");
    this.left = true;
    this.#forget();
  }

  #forget(): void {
    localStorage.removeItem(HINT);
    this.user.value = null;
  }
}
