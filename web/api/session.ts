import { signal } from "@preact/signals";
import type { Api } from "./client.ts";
import type { UserDetail } from "./types.ts";

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

/** Attribute of the server-side session that tells a reloaded page whose session it has. */
const OWNER = "muster.uname";

/** Who is signed in. */
export class Session {
  /** undefined: not known yet; null: nobody. */
  readonly user = signal<SignedInUser | null | undefined>(undefined);
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
    api.onSignedOut = () => {
      this.user.value = null;
    };
  }

  /** Takes up the session of the browser's cookie, if there is one. */
  async restore(): Promise<void> {
    const attributes = await this.#api.refreshToken();
    const uname = attributes[OWNER];
    if (uname) await this.refresh(uname);
    else this.user.value = null;
  }

  /** Reads the user's own record again, after it changed. */
  async refresh(uname = this.user.peek()?.uname ?? ""): Promise<void> {
    const user = await this.#api.get<UserDetail>("/admin/users/get", { uname });
    this.user.value = { uname: user.uname, fullname: user.fullname, admin: user.admin, image: user.image };
  }

  /** @throws Problem 401 for wrong credentials, 429 after too many of them */
  async signIn(uname: string, password: string): Promise<void> {
    const reply = await this.#api.post<LoginReply>("/login", { z_username: uname, z_password: password });
    this.#api.csrfToken = reply.CSRFToken;
    await this.#api.post("/session/put", { [OWNER]: reply.uname });
    this.user.value = { uname: reply.uname, fullname: reply.fullname, admin: reply.admin, image: "" };
  }

  async signOut(): Promise<void> {
    await this.#api.post("/session/invalidate");
    this.user.value = null;
  }
}
