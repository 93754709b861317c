import { createHash, randomBytes } from "node:crypto";
import { linkActor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { ThrottledSources } from "../../accounts/sign-in/throttled-sources.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { sourceOf } from "../../platform/net/client-address.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { MUSTER } from "../notifications/message-text.ts";
import { lastingFindingsOf } from "../problems/health-problems.repository.ts";
import type { HealthProblems } from "../problems/health-problems.service.ts";
import type { Problems } from "../problems/problems.service.ts";
import { NOTHING_IS_WRONG } from "../rehearsals/rehearsal-message.ts";
import type { Rehearsals } from "../rehearsals/rehearsals.service.ts";
import { findLink, insertLink, lastingErrors, markUsed } from "./acknowledge-links.repository.ts";

/** The path to which links lead; a token follows it. */
export const LINKS_PATH = "/acknowledge";
const TOKEN_BYTES = 16;
/** How long a link can be used, seconds. */
const LINK_LIFETIME = DAY;
/** The most links stored. They are deleted with their messages, or when there are more. */
const MAX_LINKS = 100_000;

/** What a link acknowledges: failures of hosts, failures of Muster itself, or a rehearsal. */
type LinkSubject = "events" | "findings" | "rehearsal";

/** An ongoing failure that a message reports. */
interface LastingFailure {
  /** Id of its active error, of the finding about Muster itself, or of the rehearsal. */
  id: number;
  place: string;
  message: string;
}

interface Acknowledgeable {
  subject: LinkSubject;
  failures: readonly LastingFailure[];
}

/** The state of a link. */
export type LinkState =
  | { state: "unknown" | "throttled" }
  | { state: "used" | "expired" | "over"; subject: LinkSubject }
  /** It can be used, or was used just now. */
  | ({ state: "open" | "acknowledged" } & Acknowledgeable);

export interface AcknowledgeLinkDependencies {
  db: Db;
  clock: Clock;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic: () => number;
  problems: Pick<Problems, "acknowledge">;
  healthProblems: Pick<HealthProblems, "acknowledge">;
  rehearsals: Pick<Rehearsals, "stateOf" | "acknowledge">;
  audit: Audit;
}

type Link = NonNullable<ReturnType<typeof findLink>>;

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

/**
 * Links in messages. With one, the recipient acknowledges the failures of that message, or its rehearsal, and nothing
 * else. A link works once, for a day, while one of these failures or the rehearsal lasts.
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

  /** Acknowledges the failures or the rehearsal of a link that can be used. */
  use(token: string, address: string): LinkState {
    return transaction(this.dependencies.db, () => {
      const { link, now } = this.#stateOf(token, address);
      if (!link || now.state !== "open") return now;
      const { db, clock } = this.dependencies;
      markUsed(db, link.id, clock.now());
      // The result of the rehearsal says who acknowledged it, and when.
      if (now.subject === "rehearsal") this.dependencies.rehearsals.acknowledge(link.deliveryId);
      else this.#acknowledge(link, now, address);
      return { ...now, state: "acknowledged" };
    });
  }

  #acknowledge(link: Link, { subject, failures }: Acknowledgeable, address: string): void {
    const { problems, healthProblems, audit } = this.dependencies;
    const ofMuster = subject === "findings";
    const ids = failures.map(({ id }) => id);
    const recipient = link.person || link.recipient || link.channel;
    const note = `Acknowledged with the link in a message of the channel "${link.channel}"`;
    const acknowledgement = { id: ids, note, until: "" } as const;
    if (ofMuster) healthProblems.acknowledge(acknowledgement, recipient);
    else problems.acknowledge(acknowledgement, recipient, FULL_REACH);
    audit.add(linkActor(recipient, address), {
      operation: ofMuster ? "admin/health/acknowledge" : "problems/acknowledge",
      subject: ofMuster ? "finding" : "event",
      ...(ids.length === 1 && { subjectId: ids[0] }),
      details: { id: ids, channel: link.channel },
    });
  }

  /**
   * A link and its state. A client that tries many unknown links is refused for a while, so that nobody can try
   * millions.
   */
  #stateOf(token: string, address: string): { link?: Link; now: LinkState } {
    const { db, clock } = this.dependencies;
    const source = sourceOf(address);
    if (this.#throttled.wait(source) > 0) return { now: { state: "throttled" } };
    const link = findLink(db, hashOf(token));
    if (link) return { link, now: this.#currentState(link, clock.now()) };
    this.#throttled.rejected(source, 0);
    return { now: { state: "unknown" } };
  }

  #currentState(link: Link, now: number): LinkState {
    const isOfRehearsal = link.kind === "rehearsal";
    const subject = isOfRehearsal ? "rehearsal" : "events";
    if (link.usedAt !== null) return { state: "used", subject };
    if (link.createdAt + LINK_LIFETIME <= now) return { state: "expired", subject };
    return isOfRehearsal ? this.#stateOfRehearsal(link) : stateOfFailures(this.dependencies.db, link);
  }

  #stateOfRehearsal({ deliveryId }: Link): LinkState {
    const subject = "rehearsal";
    const rehearsal = this.dependencies.rehearsals.stateOf(deliveryId);
    if (rehearsal.state !== "open") return { state: rehearsal.state, subject };
    const { id, text: place } = rehearsal;
    return { state: "open", subject, failures: [{ id, place, message: NOTHING_IS_WRONG }] };
  }
}

function stateOfFailures(db: Db, link: Link): LinkState {
  const failures = lastingErrors(db, link.deliveryId).map(({ id, service, hostname, message }) => ({
    id,
    place: `${service} on ${hostname}`,
    message,
  }));
  if (failures.length > 0) return { state: "open", subject: "events", failures };
  const findings = lastingFindingsOf(db, link.deliveryId).map(({ id, text }) => ({
    id,
    place: MUSTER,
    message: text,
  }));
  return findings.length > 0
    ? { state: "open", subject: "findings", failures: findings }
    : { state: "over", subject: "events" };
}
