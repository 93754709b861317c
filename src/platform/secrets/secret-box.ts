import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A sealed text that another secret sealed, or that was modified. */
export class UnreadableSecret extends Error {
  constructor(readonly sealed: string) {
    super("a stored secret does not open with secret.key: muster doctor says which");
  }
}

/** Seals texts (AES-256-GCM) for storage, and derives signing keys from the same secret. */
export class SecretBox {
  readonly #secret: Buffer;
  readonly #sealingKey: Buffer;

  /** @param secret 32 random bytes */
  constructor(secret: Buffer) {
    this.#secret = secret;
    this.#sealingKey = this.#derive("seal");
  }

  #derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#secret, "", `muster ${purpose}`, 32));
  }

  /** Seals a text; only the same secret opens it. The empty text stays empty. */
  seal(text: string): string {
    if (text === "") return "";
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#sealingKey, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString("base64")}`;
  }

  /** @throws UnreadableSecret */
  open(sealed: string): string {
    if (sealed === "") return "";
    const [version, payload = ""] = sealed.split(".");
    if (version !== VERSION) throw new UnreadableSecret(sealed);
    try {
      return this.#decipher(Buffer.from(payload, "base64"));
    } catch {
      throw new UnreadableSecret(sealed);
    }
  }

  #decipher(bytes: Buffer): string {
    const decipher = createDecipheriv("aes-256-gcm", this.#sealingKey, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return (
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
    );
  }

  /** Whether a text can be opened: it was sealed with this secret and not modified. */
  opens(sealed: string): boolean {
    try {
      this.open(sealed);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether `sealed` opens and contains `text`. */
  isSealOf(sealed: string, text: string): boolean {
    return this.opens(sealed) && this.open(sealed) === text;
  }

  /** Creates a function that signs texts for one purpose. A signature is 32 hexadecimal digits. */
  signer(purpose: string): (text: string) => string {
    const key = this.#derive(purpose);
    return (text) => createHmac("sha256", key).update(text).digest("hex").slice(0, 32);
  }
}
