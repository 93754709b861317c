/** Secrets that the thread with the key opened for another one. */
import { randomBytes } from "node:crypto";
import { errors } from "../../platform/http/errors.ts";
import { SecretBox } from "../../platform/secrets/secret-box.ts";

/** Sealed texts with their content. */
export type OpenedSecrets = ReadonlyMap<string, string>;

/**
 * Opens texts that were opened before, and texts that it sealed itself. Its key is random, so nothing else opens the
 * latter.
 */
export class OpenedBox extends SecretBox {
  readonly #sealed = new Map<string, string>();

  constructor(private readonly opened: OpenedSecrets) {
    super(randomBytes(32));
  }

  override seal(text: string): string {
    const sealed = super.seal(text);
    this.#sealed.set(sealed, text);
    return sealed;
  }

  /** @throws ApiError 503 for a secret that was stored after the others were opened */
  override open(sealed: string): string {
    if (sealed === "") return "";
    const text = this.opened.get(sealed) ?? this.#sealed.get(sealed);
    if (text === undefined) throw errors.busy("A password was changed in the meantime: try again");
    return text;
  }
}
