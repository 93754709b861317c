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

/** Remembers in this browser that somebody is signed in: without it there is nothing to ask the service for. */
const HINT = "muster.signedin";

/** Who is signed in. */
export class Session {
  /** undefined: not known yet; null: nobody. */
  readonly user = signal<SignedInUser | null | undefined>(undefined);
  /** The login ended by itself, while the page was in use. */
  readonly expired = signal(false);
  readonly #api: Api;

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
    if (localStorage.getItem(HINT) === null) {
      this.user.value = null;
      return;
    }
    await this.#api.refreshToken();
    await this.refresh();
  }

  /** Reads the user's own record again, after it changed. */
  async refresh(): Promise<void> {
    this.user.value = await this.#api.get<SignedInUser>("/session/user");
  }

  /** @throws Problem 401 for wrong credentials, 429 after too many of them */
  async signIn(uname: string, password: string): Promise<void> {
    const reply = await this.#api.post<LoginReply>("/login", { z_username: uname, z_password: password });
    this.#api.csrfToken = reply.CSRFToken;
    localStorage.setItem(HINT, "1");
    this.expired.value = false;
    await this.refresh();
  }

  async signOut(): Promise<void> {
    await this.#api.post("/session/invalidate");
    this.#forget();
  }

  #forget(): void {
    localStorage.removeItem(HINT);
    this.user.value = null;
  }
}
