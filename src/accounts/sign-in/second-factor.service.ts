import type { Clock } from "../../platform/clock.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteSessionsOfUser } from "../sessions/sessions.repository.ts";
import { accountErrors } from "../users/users.errors.ts";
import { hasSecondFactor, type User, updateUser } from "../users/users.repository.ts";
import { existingUser } from "../users/users.service.ts";
import { countRecoveryCodes, replaceRecoveryCodes, useRecoveryCode } from "./recovery-codes.repository.ts";
import { newRecoveryCodes, recoveryCodeHash } from "./recovery-codes.ts";
import { newTotpSecret, totpStepOf, totpUri } from "./totp.ts";

/** The second factor of users with a password in Muster: codes from an app, and recovery codes. */
export class SecondFactor {
  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a secret for the app, replacing one not yet confirmed. It takes effect after `confirm`.
   * @returns the secret and the URI for its QR code
   * @throws ApiError 404; 409 when a second factor is already enabled
   */
  begin(uname: string): { secret: string; uri: string } {
    const secret = newTotpSecret();
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      if (hasSecondFactor(user)) throw accountErrors.totpEnabled();
      updateUser(this.db, user.id, { totpSecret: this.box.seal(secret), totpEnabled: false, totpStep: 0 });
    });
    return { secret, uri: totpUri(secret, uname) };
  }

  /**
   * Enables the second factor and ends the user's other sessions.
   * @param keep hash of the session to keep
   * @returns the recovery codes, which are not available later
   * @throws ApiError 403 for a wrong code, 404, 409 when there is no secret or a second factor is already enabled
   */
  confirm(uname: string, code: string, keep: string): string[] {
    const codes = newRecoveryCodes();
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      if (hasSecondFactor(user)) throw accountErrors.totpEnabled();
      if (user.totpSecret === "") throw accountErrors.totpNotBegun();
      const step = totpStepOf(this.box.open(user.totpSecret), code, this.clock.now());
      if (step === null) throw accountErrors.wrongCode();
      updateUser(this.db, user.id, { totpEnabled: true, totpStep: step });
      replaceRecoveryCodes(this.db, user.id, codes.map(recoveryCodeHash));
      deleteSessionsOfUser(this.db, user.id, keep);
    });
    return codes;
  }

  /** Disables the second factor. The caller checks permission. @throws ApiError 404, 409 */
  disable(uname: string): void {
    transaction(this.db, () => {
      const user = existingUser(this.db, uname);
      if (!user.totpEnabled && user.totpSecret === "") throw accountErrors.totpOff();
      updateUser(this.db, user.id, { totpSecret: "", totpEnabled: false, totpStep: 0 });
      replaceRecoveryCodes(this.db, user.id, []);
    });
  }

  /**
   * Uses up a code. A code from the app must be newer than the last accepted one; a recovery code is deleted.
   * @returns the kind of code; null when it is wrong
   */
  use(user: User, code: string): "totp" | "recovery" | null {
    return transaction(this.db, () => {
      const { totpStep, totpSecret } = existingUser(this.db, user.uname);
      const step = totpStepOf(this.box.open(totpSecret), code, this.clock.now());
      if (step !== null && step > totpStep) {
        updateUser(this.db, user.id, { totpStep: step });
        return "totp";
      }
      return useRecoveryCode(this.db, user.id, recoveryCodeHash(code)) ? "recovery" : null;
    });
  }

  recoveryCodesLeft(user: User): number {
    return countRecoveryCodes(this.db, user.id);
  }
}
