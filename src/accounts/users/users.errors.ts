import { declareError, declareTaken, SIGN_IN, withHeaders } from "../../platform/http/errors.ts";

const signInError = (code: string, meaning: string) =>
  withHeaders(declareError(401, code, meaning), () => SIGN_IN);

/** Errors of users and of signing in. */
export const accountErrors = {
  wrongCredentials: signInError("login.failed", "Invalid username and/or password"),
  secondFactorNeeded: signInError(
    "login.totp_required",
    "A code of the second factor is needed: give it as z_totp",
  ),
  wrongSecondFactor: signInError("login.totp_wrong", "The code is wrong, too old, or was used before"),
  tooManyLogins: withHeaders(
    declareError(
      429,
      "login.throttled",
      "Too many failed logins; Retry-After says how many seconds to wait",
      (seconds: number) => `Too many failed logins; try again in ${seconds} seconds`,
    ),
    (seconds) => ({ "Retry-After": String(seconds) }),
  ),
  wrongPassword: declareError(
    403,
    "password.wrong",
    "The current password is wrong",
    (message: string) => message,
  ),
  noAccount: declareError(
    403,
    "login.noaccount",
    "There is no account for the user whom the proxy names",
    (uname: string) => `There is no account for ${uname}: an administrator has to create one`,
  ),
  wrongCode: declareError(403, "totp.wrong", "The code is wrong, too old, or was used before"),
  totpEnabled: declareError(409, "totp.enabled", "There is already a second factor: turn it off first"),
  totpNotBegun: declareError(
    409,
    "totp.unbegun",
    "There is no secret yet: call admin/users/totp/begin first",
  ),
  totpOff: declareError(409, "totp.off", "There is no second factor"),
  nameTaken: declareError(
    409,
    "login.nametaken",
    "An account of another kind has the name of the proxy's user",
    (uname: string) => `The account ${uname} is not that of the proxy's user ${uname}`,
  ),
  noPassword: declareError(
    409,
    "user.nopassword",
    "The user signs in elsewhere and has no password here",
    (uname: string) => `${uname} signs in elsewhere and has no password here`,
  ),
  userExists: declareTaken("user.exists", "user"),
  userUsed: declareError(
    409,
    "user.used",
    "The user is on call, or rules name them",
    (uname: string, uses: readonly string[]) => `Remove ${uname} first from: ${uses.join(", ")}`,
  ),
  lastAdmin: declareError(
    409,
    "user.lastadmin",
    "No administrator would be left",
    (message: string) => message,
  ),
};
