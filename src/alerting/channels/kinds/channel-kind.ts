/** What a way out has to be able to do. Each kind is a record; channels/kinds.ts lists them. */

import type { Egress } from "../../../platform/egress/egress.ts";
import type { ALERT_KINDS } from "../../../platform/storage/schema/alerts.ts";

/** What a message is about. A test is asked for by an administrator. */
export type MessageKind = (typeof ALERT_KINDS)[number] | "test";

/** One event that a message tells of. */
export interface MessageEvent {
  id: number;
  hostId: number;
  hostname: string;
  service: string;
  /** Name of the event's type, as in "Connection". */
  type: string;
  state: "success" | "error" | "change";
  message: string;
  /** Unix seconds. */
  date: number;
  /** Which failure it belongs to: the same for the problem, its reminders and its recovery. */
  key: string;
}

/** What is to be said, ready for every kind of channel. */
export interface AlertMessage {
  /** The same at every attempt, another one for every message. */
  id: string;
  kind: MessageKind;
  rule: string;
  /** One line. */
  title: string;
  /** Several lines of plain text. */
  text: string;
  events: readonly MessageEvent[];
  /** Where people read on; null when nobody told Muster under which address it is reached. */
  url: string | null;
  /** Unix seconds. */
  at: number;
}

/** What became of an attempt. */
export interface Answer {
  /**
   * sent     the far side took it
   * refused  it never will: wrong address, wrong secret, malformed
   * failed   it did not, but may later
   * unknown  everything was sent, and no answer came
   */
  outcome: "sent" | "refused" | "failed" | "unknown";
  /** What the far side answered, word for word but for secrets, or why nothing came: for people. */
  detail: string;
  /** Seconds that the far side asks to wait, if it did. */
  retryAfter?: number;
}

/**
 * A setting of a channel, for forms and for checks. Every value is a text; `choice` is one of `choices`, `lines` may have
 * several lines. What is `secret` is never given away again; an address that is the key to itself is one too.
 */
export interface ChannelField {
  name: string;
  label: string;
  type: "text" | "secret" | "url" | "choice" | "lines";
  required: boolean;
  initial?: string;
  choices?: readonly string[];
  /** One phrase for people. */
  doc: string;
}

/** Settings as they are stored: the value of every field, "" where there is none. */
export type ChannelSettings = Readonly<Record<string, string>>;

/** What is wrong with the setting `field`: the phrase completes "<field> must be ...". */
export interface Fault {
  field: string;
  allowed: string;
}

export interface ChannelKind {
  /** As in the API. */
  kind: string;
  label: string;
  fields: readonly ChannelField[];
  /** Whether a message may tell of several events; false makes one message of each. */
  grouped: boolean;
  /** Whether it needs `Egress.exec`. */
  exec?: true;
  /** @returns what is wrong with settings whose fields are each well-formed; null when they will do */
  check?: (settings: ChannelSettings) => Fault | null;
  /** Makes one attempt within the outlet's time limit. Secrets may be in its detail: the caller masks them. */
  send(settings: ChannelSettings, message: AlertMessage, egress: Egress): Promise<Answer>;
}
