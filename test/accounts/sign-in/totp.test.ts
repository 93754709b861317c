import { expect, test } from "bun:test";
import { newTotpSecret, totpStepOf, totpUri } from "../../../src/accounts/sign-in/totp.ts";
import { totpCode } from "../../support/totp.ts";

/** "12345678901234567890", the secret of the test vectors of RFC 6238, in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** The last six digits of the codes of eight digits there. */
const VECTORS: readonly [at: number, code: string][] = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
];
for (const [at, code] of VECTORS)
  test(`the code of RFC 6238 at ${at} is that of its step`, () => {
    expect(totpCode(SECRET, at)).toBe(code);
    expect(totpStepOf(SECRET, code, at)).toBe(Math.floor(at / 30));
  });

const NOW = 1_234_567_890;
const LEDGER: readonly [seconds: number, step: number | null, why: string][] = [
  [-61, null, "two steps ago"],
  [-31, null, "two steps ago, just"],
  [-30, -1, "one step ago"],
  [-1, -1, "one step ago, just"],
  [0, 0, "now"],
  [29, 0, "now, still"],
  [30, 1, "one step ahead"],
  [59, 1, "one step ahead, still"],
  [60, null, "two steps ahead"],
];
for (const [seconds, step, why] of LEDGER)
  test(`a code of ${why} is ${step === null ? "refused" : "accepted"}`, () => {
    const actual = totpStepOf(SECRET, totpCode(SECRET, NOW + seconds), NOW);
    expect(actual).toBe(step === null ? null : NOW / 30 + step);
  });

test("spaces in a code do not matter, anything else does", () => {
  const code = totpCode(SECRET, NOW);
  expect(totpStepOf(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)} `, NOW)).toBe(NOW / 30);
  for (const wrong of [
    "",
    code.slice(1),
    `0${code}`,
    `${code}0`,
    `${code.slice(1)}x`,
    "000000",
    `-${code.slice(1)}`,
  ])
    expect([wrong, totpStepOf(SECRET, wrong, NOW)]).toEqual([wrong, null]);
});

test("a secret has 160 random bits, and the address for apps says what they need", () => {
  const [first, second] = [newTotpSecret(), newTotpSecret()];
  expect(first).toMatch(/^[A-Z2-7]{32}$/);
  expect(second).not.toBe(first);
  const uri = new URL(totpUri(first, "ada & bob:x"));
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    "otpauth:",
    "totp",
    "/Muster:ada & bob:x",
  ]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: "Muster",
    secret: first,
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});
