/** Codes of an authenticator app: RFC 6238 with what every app understands, SHA-1, 6 digits, 30 s. */
type Otpauth = typeof import("otpauth");

/** Loaded with the first code: it takes 7 MB, and most Musters have no second factor. */
const otpauth = () => require("otpauth") as Otpauth;

/** How long a code is valid, seconds. */
const PERIOD = 30;
/** Steps before and after the present one whose codes are accepted: clocks differ. */
const WINDOW = 1;
/** RFC 4226 asks for 160 bits. */
const SECRET_BYTES = 20;
const ISSUER = "Muster";

const OPTIONS = { algorithm: "SHA1", digits: 6, period: PERIOD };

/** A random secret in base32, as people type it into an app. */
export function newTotpSecret(): string {
  const { Secret } = otpauth();
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What an app reads out of the QR code. */
export function totpUri(secret: string, uname: string): string {
  const { Secret, TOTP } = otpauth();
  return new TOTP({ ...OPTIONS, issuer: ISSUER, label: uname, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * Compares in constant time. @param now unix seconds
 * @returns the step of 30 s that the code is of, null when it is of none that counts now
 */
export function totpStepOf(secret: string, code: string, now: number): number | null {
  const timestamp = now * 1000;
  const token = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return null;
  const { Secret, TOTP } = otpauth();
  const delta = TOTP.validate({
    ...OPTIONS,
    token,
    secret: Secret.fromBase32(secret),
    timestamp,
    window: WINDOW,
  });
  return delta === null ? null : TOTP.counter({ period: PERIOD, timestamp }) + delta;
}
