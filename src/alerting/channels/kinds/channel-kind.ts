/** What a kind of channel provides. Each kind is one record; kinds.ts lists them. */

import type { Egress } from "../../../platform/egress/egress.ts";
import type { SettingsReader } from "../../../platform/settings/settings.service.ts";
import type { ATTEMPT_OUTCOMES, DELIVERY_KINDS } from "../../../platform/storage/schema/alerts.ts";

/** What a message is about. "test" is sent on request of an administrator. */
export type MessageKind = (typeof DELIVERY_KINDS)[number] | "test";

/** One event in a message. */
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
  /** Identifies the failure: the same for the problem, its reminders and its recovery. */
  key: string;
}

/** A message, ready for every kind of channel. */
export interface AlertMessage {
  /** Unique per message; the same at every attempt. */
  id: string;
  kind: MessageKind;
  rule: string;
  /** One line. */
  title: string;
  /** Several lines of plain text. */
  text: string;
  /** The same as HTML, for mail; not every message has it. */
  html?: string;
  /** None in a report. */
  events: readonly MessageEvent[];
  /** Link to the page with details; null if Muster's public address is not configured. */
  url: string | null;
  /**
   * Link to a page on which the recipient acknowledges the failures; null if there is none. Anyone who has it can
   * use it, once.
   */
  acknowledgeUrl: string | null;
  /** Unix seconds. */
  at: number;
}

/** The outcome of one attempt. */
export interface Answer {
  /**
   * sent     the remote accepted it
   * refused  it never will: wrong address, wrong secret, malformed message
   * failed   it did not, but may later
   * unknown  everything was sent, but no response came
   */
  outcome: (typeof ATTEMPT_OUTCOMES)[number];
  /** The remote's response with secrets masked, or why there was none. For people. */
  detail: string;
  /** Seconds to wait, if the remote sent any. */
  retryAfter?: number;
  /** What alone was refused, if the channel itself works. */
  only?: "message" | "recipient";
}

/**
 * A setting of a channel, for forms and validation. Every value is a string: a `choice` is one of `choices`,
 * `lines` may contain line breaks. A `secret` is never shown again. An address that alone grants access
 * is a secret too.
 */
export interface ChannelField {
  name: string;
  label: string;
  type: "text" | "secret" | "url" | "choice" | "lines";
  required: boolean;
  initial?: string;
  choices?: readonly string[];
  /** Whether the settings of Muster may take its place (`ChannelKind.inherit`). */
  shared?: boolean;
  /** One phrase that explains the setting. */
  doc: string;
}

/** Settings as they are stored: the value of every field, "" if it is not set. */
export type ChannelSettings = Readonly<Record<string, string>>;

/** A validation error of the setting `field`. `allowed` completes the sentence "<field> must be ...". */
export interface Fault {
  field: string;
  allowed: string;
}

/** A kind of channel: its settings, and how it sends a message. */
export interface ChannelKind {
  /** The name used in the API. */
  kind: string;
  label: string;
  fields: readonly ChannelField[];
  /** Whether one message may report several events; if not, every event gets its own message. */
  grouped: boolean;
  /** The field that lists recipients, one per line, where each can get a message of their own. */
  recipients?: string;
  /** Whether it requires `Egress.exec`. */
  exec?: true;
  /** Fills in what a channel leaves to the settings of Muster. What is checked and sent is the result. */
  inherit?: (settings: ChannelSettings, shared: SettingsReader) => ChannelSettings;
  /**
   * Checks rules across fields. Each field has been validated before.
   * @returns null if the settings are valid
   */
  check?: (settings: ChannelSettings) => Fault | null;
  /**
   * Makes one attempt within the egress time limit. The answer's detail may contain secrets: the caller
   * masks them.
   */
  send(settings: ChannelSettings, message: AlertMessage, egress: Egress): Promise<Answer>;
}
