import { type ReadonlySignal, signal } from "@preact/signals";
import type { Api } from "./client.ts";
import type { HostGroups, LoginMethods, LoginReply, Rights, SignedInUser } from "./types.ts";

/**
 * Key under which the browser remembers that someone is signed in. Without it, no session needs to be
 * restored.
 */
const HINT = "muster.signedin";

/** Remembers a sign-in. Other tabs learn of it only if the value changes. */
function remember(): void {
  localStorage.setItem(HINT, String(Math.random()));
}

/** Whether the page has a form with input that is not saved, or is being saved. */
const hasInput = () => document.querySelector("form[data-unsaved], form[aria-busy=true]") !== null;

/** Who is signed in. */
export class Session {
  /** undefined: not known yet; null: nobody. */
  readonly user = signal<SignedInUser | null | undefined>(undefined);
  readonly #rights = signal<Rights | null>(null);
  /** The groups that the user sees, with their members; null until they are read. */
  readonly groups = signal<HostGroups | null>(null);
  /** How often the rights of the user have changed since the page was loaded. */
  readonly accessChanges = signal(0);
  /** How often they have changed while a form had input. The page keeps its previous rights, so that the form stays. */
  readonly heldChanges = signal(0);
  /** The session has ended while the page was open. */
  readonly expired = signal(false);
  /** The user has signed out on this page, so the proxy must not sign them in again automatically. */
  signedOutHere = false;
  /** Called when another user than before has signed in, here or in another tab. */
  onOtherUser: () => void = () => undefined;
  readonly #api: Api;
  #prefetchedMethods: Promise<LoginMethods> | null = null;
  #checking: Promise<boolean> | null = null;
  #refreshing: Promise<void> | null = null;
  /** Name of the last user, whose drafts nobody else may see. */
  #before: string | undefined;
  /** The rights that were read last, as JSON, to notice when they change. */
  #access = "";
  /** What they may do once no form has input; "" if that is what the page shows. */
  #heldAccess = "";
  /** How many sessions have ended on this page. */
  #ended = 0;

  /** @param isPast whether the page shows a moment in the past, in which users may only view */
  constructor(
    api: Api,
    readonly isPast: ReadonlySignal<boolean>,
  ) {
    this.#api = api;
    api.onSignedOut = () => {
      // Several requests may fail at once. After the first of them, there is no user any more.
      if (this.user.peek()) this.expired.value = true;
      this.#forget();
    };
    api.onOtherToken = () => this.check();
    api.onForbidden = () => void this.#refreshOnce();
  }

  /** Restores the session of the browser's cookie, if there is one. */
  async restore(): Promise<void> {
    // A user who returns from an OpenID provider has a session that this page does not know of.
    if (localStorage.getItem(HINT) === null) {
      const methods = this.#fetchMethods();
      if (!(await methods).signedin) {
        this.#prefetchedMethods = methods;
        this.user.value = null;
        return;
      }
    }
    await this.#api.refreshToken();
    remember();
    await this.refresh();
  }

  /** How users can sign in. The first call returns what `restore` has fetched already. */
  methods(): Promise<LoginMethods> {
    const methods = this.#prefetchedMethods ?? this.#fetchMethods();
    this.#prefetchedMethods = null;
    return methods;
  }

  #fetchMethods(): Promise<LoginMethods> {
    return this.#api.get<LoginMethods>("/login/methods");
  }

  /** Reads the user's own record again after a change. Changes nothing if the session has ended by then. */
  async refresh(): Promise<void> {
    const ended = this.#ended;
    const [user, rights] = await Promise.all([
      this.#api.get<SignedInUser>("/session/user"),
      this.#api.get<Rights>("/session/rights"),
    ]);
    if (this.#ended !== ended) return;
    if (this.#before !== undefined && this.#before !== user.uname) this.onOtherUser();
    const isSame = this.#before === user.uname;
    this.#before = user.uname;
    const access = JSON.stringify([user.admin, rights]);
    const isChanged = isSame && access !== this.#access;
    if (isChanged && hasInput()) {
      if (access !== this.#heldAccess) this.heldChanges.value++;
      this.#heldAccess = access;
      return;
    }
    if (isChanged) this.accessChanges.value++;
    this.#access = access;
    this.#heldAccess = "";
    this.#rights.value = rights;
    this.user.value = user;
  }

  /** Reads the user and their rights again, unless that is under way. Errors are left to the reads of the page. */
  #refreshOnce(): Promise<void> {
    this.#refreshing ??= this.refresh()
      .catch(() => undefined)
      .finally(() => {
        this.#refreshing = null;
      });
    return this.#refreshing;
  }

  /** Called when a form was saved or has gone: the page then shows changed rights that waited for it. */
  formEnded(): void {
    if (this.#heldAccess === "") return;
    // The page is rendered before the timer.
    setTimeout(() => {
      if (!hasInput()) void this.#refreshOnce();
    });
  }

  /**
   * Finds out whose session the browser has: a sign-in in another tab replaces it. If it is another user's, the page
   * becomes that user's. If not, the user's rights may have changed. @returns whether the user is the same
   */
  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #check(): Promise<boolean> {
    const uname = this.user.peek()?.uname;
    const { csrfToken } = this.#api;
    const { CSRFToken: current } = await this.#api.get<Record<string, string>>("/session/get");
    if (current === csrfToken) {
      await this.#refreshOnce();
      return true;
    }
    // The new token is used only after this: until then, the page still shows the inputs of the previous user.
    await this.refresh();
    this.#api.csrfToken = current ?? "";
    return this.user.peek()?.uname === uname;
  }

  /** Takes the session of a sign-in in another tab, if there is one. */
  async #join(): Promise<void> {
    if (localStorage.getItem(HINT) === null) return;
    await this.#api.refreshToken();
    this.expired.value = false;
    await this.refresh();
  }

  /** Checks the session when the page is shown again, and when another tab signs in. Returns the function that stops it. */
  watch(): () => void {
    const check = () => {
      const user = this.user.peek();
      if (document.hidden || user === undefined) return;
      // Errors are left to the reads of the page; without a user, the form to sign in stays.
      void (user ? this.check() : this.#join()).catch(() => undefined);
    };
    document.addEventListener("visibilitychange", check);
    addEventListener("storage", check);
    return () => {
      document.removeEventListener("visibilitychange", check);
      removeEventListener("storage", check);
    };
  }

  /**
   * Whether the user has a right for a host and the page shows the present, in which rights can be used. The server
   * decides; this only decides what is shown.
   * @param groups those of the host; without them, whether the user has the right for any host
   */
  may(right: keyof Rights, groups?: readonly { id: number }[]): boolean {
    return (right === "view" || !this.isPast.value) && this.has(right, groups);
  }

  /** Whether the user has a right, whatever the page shows. */
  has(right: keyof Rights, groups?: readonly { id: number }[]): boolean {
    const scope = this.#rights.value?.[right];
    if (scope === undefined || scope === "all") return scope === "all";
    return groups ? groups.some(({ id }) => scope.groups.includes(id)) : scope.groups.length > 0;
  }

  /** Whether the user is an administrator and the page shows the present, in which they can change something. */
  get isAdmin(): boolean {
    return this.user.value?.admin === true && !this.isPast.value;
  }

  /** The groups within which the user has a right; null if it is not limited to groups. */
  groupsOf(right: keyof Rights): readonly number[] | null {
    const scope = this.#rights.value?.[right];
    return scope === undefined ? [] : scope === "all" ? null : scope.groups;
  }

  /** Whether the user has a right for a host of which only the id is known. */
  mayOn(right: keyof Rights, hostId: number): boolean {
    const groups = this.groups.value?.records.filter(({ hosts }) => hosts.includes(hostId));
    return this.may(right, groups ?? []);
  }

  /**
   * Signs in with a password.
   * @param code one-time code of the second factor; "" without one
   * @throws ApiError 401 for wrong credentials or a missing or wrong code, 429 after too many attempts
   */
  async signIn(uname: string, password: string, code: string): Promise<void> {
    const args = { z_username: uname, z_password: password, ...(code !== "" && { z_totp: code }) };
    await this.#signedIn(await this.#api.post<LoginReply>("/login", args));
  }

  /**
   * Signs in as the user whom the reverse proxy has authenticated. @throws ApiError if that user has no
   * account
   */
  async signInThroughProxy(): Promise<void> {
    await this.#signedIn(await this.#api.post<LoginReply>("/login/proxy"));
  }

  async #signedIn(reply: LoginReply): Promise<void> {
    this.#api.csrfToken = reply.CSRFToken;
    remember();
    this.expired.value = false;
    await this.refresh();
  }

  async signOut(): Promise<void> {
    await this.#api.post("/session/invalidate");
    this.signedOutHere = true;
    this.#forget();
  }

  #forget(): void {
    this.#ended++;
    localStorage.removeItem(HINT);
    this.groups.value = null;
    this.user.value = null;
  }
}
