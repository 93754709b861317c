import { createHash, randomBytes } from "node:crypto";
import { linkActor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { ThrottledSources } from "../../accounts/sign-in/throttled-sources.ts";
import type { Clock } from "../../platform/clock.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { sourceOf } from "../../platform/net/client-address.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Problems } from "../problems/problems.service.ts";
import {
  findLink,
  insertLink,
  type LastingError,
  lastingErrors,
  markUsed,
} from "./acknowledge-links.repository.ts";

export const LINKS_PATH = "/acknowledge";
const TOKEN_BYTES = 16;
/** Seconds. */
export const LINK_LIFETIME = 86_400;
/** Most links stored. They are deleted with their messages, or when there are more. */
const MAX_LINKS = 100_000;

/** The state of a link. */
export type LinkState =
  | { state: "unknown" | "used" | "expired" | "over" | "throttled" }
  /** It can be used, or was used just now. */
  | { state: "open" | "acknowledged"; errors: readonly LastingError[] };

export interface AcknowledgeLinkDependencies {
  db: Db;
  clock: Clock;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic: () => number;
  problems: Pick<Problems, "acknowledge">;
  audit: Audit;
}

type Link = NonNullable<ReturnType<typeof findLink>>;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/**
 * Links in messages. With one, the recipient acknowledges the failures of that message, and nothing else. A link
 * works once, for a day, while one of these failures lasts.
 */
export class AcknowledgeLinks {
  readonly #throttled: ThrottledSources;

  constructor(private readonly dependencies: AcknowledgeLinkDependencies) {
    this.#throttled = new ThrottledSources(dependencies.monotonic);
  }

  /** Makes a link for one attempt to send a message. It is stored before the message is sent. */
  issue(deliveryId: number, baseUrl: URL): string {
    const { db, clock } = this.dependencies;
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    transaction(db, () =>
      insertLink(db, { hash: hashOf(token), deliveryId, createdAt: clock.now() }, MAX_LINKS),
    );
    return new URL(`${LINKS_PATH}/${token}`, baseUrl).href;
  }

  /** The current state of a link. Changes nothing. */
  look(token: string, address: string): LinkState {
    return this.#stateOf(token, address).now;
  }

  /** Acknowledges the failures of a link that can be used. */
  use(token: string, address: string): LinkState {
    return transaction(this.dependencies.db, () => {
      const { link, now } = this.#stateOf(token, address);
      if (!link || now.state !== "open") return now;
      const { db, clock, problems, audit } = this.dependencies;
      const ids = now.errors.map(({ id }) => id);
      const recipient = link.person || link.recipient || link.channel;
      markUsed(db, link.id, clock.now());
      const note = `Acknowledged with the link in a message of the channel "${link.channel}"`;
      problems.acknowledge({ id: ids, note, until: "" }, recipient, FULL_REACH);
      audit.add(linkActor(recipient, address), {
        operation: "problems/acknowledge",
        subject: "event",
        ...(ids.length === 1 && { subjectId: ids[0] }),
        details: { id: ids, channel: link.channel },
      });
      return { ...now, state: "acknowledged" };
    });
  }

  /** A client that tries many unknown links is refused for a while, so that nobody can try millions of them. */
  #stateOf(token: string, address: string): { link?: Link; now: LinkState } {
    const { db, clock } = this.dependencies;
    const source = sourceOf(address);
    if (this.#throttled.wait(source) > 0) return { now: { state: "throttled" } };
    const link = findLink(db, hashOf(token));
    if (link) return { link, now: stateOf(link, () => lastingErrors(db, link.deliveryId), clock.now()) };
    this.#throttled.rejected(source, 0);
    return { now: { state: "unknown" } };
  }
}

function stateOf(link: Link, errorsOf: () => readonly LastingError[], now: number): LinkState {
  if (link.usedAt !== null) return { state: "used" };
  if (link.createdAt + LINK_LIFETIME <= now) return { state: "expired" };
  const errors = errorsOf();
  return errors.length === 0 ? { state: "over" } : { state: "open", errors };
}
