/** Codes of an authenticator app (RFC 6238), as every app makes them: SHA-1, 6 digits, 30 s. */
type Otpauth = typeof import("otpauth");

/** Loaded with the first code: it takes 7 MB, and most installations do not use it. */
const otpauth = () => require("otpauth") as Otpauth;

/** Validity of a code, seconds. */
const PERIOD = 30;
/** Adjacent time steps whose codes are accepted, to allow for clock differences. */
const WINDOW = 1;
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20;
const ISSUER = "Muster";

const OPTIONS = { algorithm: "SHA1", digits: 6, period: PERIOD };

/** A random secret in base32. */
export function newTotpSecret(): string {
  const { Secret } = otpauth();
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The URI that an app reads from the QR code. */
export function totpUri(secret: string, uname: string): string {
  const { Secret, TOTP } = otpauth();
  return new TOTP({ ...OPTIONS, issuer: ISSUER, label: uname, secret: Secret.fromBase32(secret) }).toString();
}

/** The 30 s step of a code, in constant time; null when it is not valid. @param now unix seconds */
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
