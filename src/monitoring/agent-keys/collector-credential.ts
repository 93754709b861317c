import { type Clock, DAY } from "../../platform/clock.ts";
import { equalInConstantTime } from "../../platform/secrets/equal.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";

/** How long the previous password keeps working after a change, seconds, so that agents can be reconfigured. */
export const OLD_PASSWORD_GRACE = DAY;

/**
 * The forms in which user name and password may be sent. Kept until either changes: every message is compared with
 * them.
 */
class SentForms {
  #user: string | null = null;
  #password = "";
  #forms: readonly Buffer[] = [];

  contain(sent: Uint8Array, user: string, password: string): boolean {
    if (user !== this.#user || password !== this.#password) this.#change(user, password);
    return this.#forms.some((form) => equalInConstantTime(sent, form));
  }

  #change(user: string, password: string): void {
    this.#user = user;
    this.#password = password;
    // Monit takes user name and password from the URL in its control file and sends them without percent-decoding.
    this.#forms = [`${user}:${password}`, urlLogin(user, password)].map((form) => Buffer.from(form));
  }
}

/** The user name and password with which agents post messages. They grant access to nothing else. */
export class CollectorCredential {
  readonly #currentForms = new SentForms();
  readonly #oldForms = new SentForms();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  get user(): string {
    return this.settings.get("collectoruser");
  }

  get password(): string {
    return this.settings.get("collectorpassword");
  }

  /** Sets the password if none is set. */
  setFirst(password: string): void {
    this.settings.set("collectorpassword", password);
  }

  /** Changes the password. The previous one keeps working for `OLD_PASSWORD_GRACE` seconds. */
  change(password: string): void {
    if (password === this.password) return;
    this.settings.set("collectorpasswordold", this.password);
    this.settings.set("collectorpasswordchanged", this.clock.now());
    this.settings.set("collectorpassword", password);
  }

  /** Whether a login, USER:PASSWORD, is the credential. */
  accepts(sent: Buffer): boolean {
    if (this.#currentForms.contain(sent, this.user, this.password)) return true;
    const previous = this.settings.get("collectorpasswordold");
    const oldIsValid = this.clock.now() - this.settings.get("collectorpasswordchanged") < OLD_PASSWORD_GRACE;
    return previous !== "" && oldIsValid && this.#oldForms.contain(sent, this.user, previous);
  }
}

/** The login in an Authorization header, USER:PASSWORD; null without one. */
export function sentLogin(header: string | undefined): Buffer | null {
  const encoded = /^basic\s+(\S+)$/i.exec(header ?? "")?.[1];
  return encoded ? Buffer.from(encoded, "base64") : null;
}

function urlLogin(user: string, password: string): string {
  return `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
}

/**
 * The URL to which agents post, and the line for their control file.
 * @param host host name and port under which agents reach Muster
 */
export function collectorLine(
  { user, password }: { user: string; password: string },
  secure: boolean,
  host: string,
) {
  const url = `${secure ? "https" : "http"}://${urlLogin(user, password)}@${host}/collector`;
  return { url, line: `set mmonit ${url}` };
}
