import type { Clock } from "../../platform/clock.ts";
import type { Caller, CallerSession } from "../../platform/http/context.ts";
import { found } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { deleteSession, sessionsOfUser } from "./sessions.repository.ts";
import { SESSION_MAX_AGE } from "./sessions.service.ts";

/** The sessions of a user, as they see and end them themselves. */
export class UserSessions {
  /** Derives the public id of a session from its hash. It grants no access and cannot be reversed. */
  readonly #publicId: (idHash: string) => string;

  constructor(
    private readonly db: Db,
    box: SecretBox,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {
    this.#publicId = box.signer("session list");
  }

  /** The caller's sessions, last used first. */
  list({ id }: Caller, current: CallerSession) {
    const records = this.#alive(id).map((session) => ({
      id: this.#publicId(session.idHash),
      created: session.createdAt,
      used: session.usedAt,
      address: session.address,
      useragent: session.userAgent,
      current: session.idHash === current.idHash,
    }));
    return { totalRecords: records.length, records };
  }

  /** Ends one of the caller's sessions, possibly the current one. @throws ApiError 404 */
  revoke({ id }: Caller, publicId: string): void {
    const session = this.#alive(id).find(({ idHash }) => this.#publicId(idHash) === publicId);
    deleteSession(this.db, found(session, "session", publicId).idHash);
  }

  #alive(userId: number) {
    const now = this.clock.now();
    const idle = this.settings.get("sessionidle") * 60;
    return sessionsOfUser(this.db, userId, now - idle, now - SESSION_MAX_AGE);
  }
}
