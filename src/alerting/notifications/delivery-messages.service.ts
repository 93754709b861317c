/** What messages say. It is composed when they are sent, so they say what is known then. */
import { findUser } from "../../accounts/users/users.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ALERT_KINDS } from "../../platform/storage/schema/alerts.ts";
import type { AlertMessage, MessageKind } from "../channels/kinds/channel-kind.ts";
import { isUrgent } from "../channels/kinds/urgency.ts";
import { affectedBy } from "./causes.repository.ts";
import type { AlertKind } from "./decide.ts";
import { type Delivery, eventsOfDelivery } from "./deliveries.repository.ts";
import { findingsOfDelivery } from "./health-alerts.repository.ts";
import { composeMessage } from "./message-text.ts";
import type { FirstMove } from "./moved-text.ts";

const NO_USER = "the user was deleted";
const NO_EVENTS = "what it reports was deleted";

/** Kinds of messages that are not about problems. */
type OtherKind = Exclude<Delivery["kind"], AlertKind>;

/** Why a message cannot be sent. */
interface Refusal {
  refused: string;
}

/** The content of a message, or why it cannot be sent. */
export type MessageContent = Pick<AlertMessage, "title" | "text" | "html" | "url" | "events"> | Refusal;

/** Composes messages that are not about problems. */
export interface MessageSource {
  messageOf(delivery: Delivery, baseUrl: URL | null): MessageContent | Promise<MessageContent>;
}

interface MessageParts {
  db: Db;
  box: SecretBox;
  /** By the kind of message. */
  sources: Readonly<Record<OtherKind, MessageSource>>;
  /** Public origin of Muster; null if not configured. */
  baseUrl: () => URL | null;
  /** What moved before the failure of an error event, if that is known by now. */
  firstMoves: (eventId: number) => readonly FirstMove[];
  /** Makes a link with which the recipient of a message acknowledges its failures, or the rehearsal. */
  acknowledgeLink: (deliveryId: number, baseUrl: URL) => string;
  /** The hosts that a user sees, by login name. */
  visibleTo: (uname: string) => Scope;
  /** IANA name of the time zone used in messages. */
  timeZone: () => string;
}

/** Whether messages of this kind are about problems. */
export function isAlert(kind: MessageKind): kind is AlertKind {
  return (ALERT_KINDS as readonly string[]).includes(kind);
}

/** Composes the messages of deliveries. */
export class DeliveryMessages {
  readonly #sign: (text: string) => string;

  constructor(private readonly parts: MessageParts) {
    this.#sign = parts.box.signer("messages");
  }

  /** The message of a delivery, or why it cannot be sent. One about problems is composed at once. */
  of(delivery: Delivery): AlertMessage | Refusal | Promise<AlertMessage | Refusal> {
    const { kind } = delivery;
    return isAlert(kind) ? this.#ofAlert(delivery, kind) : this.#ofOther(delivery, kind);
  }

  #ofAlert(delivery: Delivery, kind: AlertKind): AlertMessage | Refusal {
    const { id, person, ruleName: rule, createdAt: at } = delivery;
    const { db, baseUrl, timeZone, visibleTo, firstMoves } = this.parts;
    if (person !== "" && !findUser(db, person)) return { refused: NO_USER };
    const reported = eventsOfDelivery(db, id, at);
    const events = reported.length > 0 ? reported : findingsOfDelivery(db, id, at);
    if (events.length === 0) return { refused: NO_EVENTS };
    const scope = person === "" ? "all" : visibleTo(person);
    const [first, second] = reported;
    const isOne = first !== undefined && second === undefined && isUrgent(kind);
    return composeMessage({
      ...this.#head(delivery),
      kind,
      rule,
      at,
      events,
      affected: isUrgent(kind) ? affectedBy(db, id, scope) : [],
      moved: isOne ? firstMoves(first.id) : [],
      baseUrl: baseUrl(),
      timeZone: timeZone(),
    });
  }

  async #ofOther(delivery: Delivery, kind: OtherKind): Promise<AlertMessage | Refusal> {
    const { ruleName: rule, createdAt: at } = delivery;
    const content = await this.parts.sources[kind].messageOf(delivery, this.parts.baseUrl());
    return "refused" in content ? content : { ...this.#head(delivery), kind, rule, at, ...content };
  }

  #head({ id, kind, createdAt }: Delivery): Pick<AlertMessage, "id" | "acknowledgeUrl"> {
    const { acknowledgeLink, baseUrl } = this.parts;
    const origin = baseUrl();
    const acknowledgeUrl = origin && isUrgent(kind) ? acknowledgeLink(id, origin) : null;
    return { id: this.#sign(`${id} ${createdAt}`), acknowledgeUrl };
  }
}
