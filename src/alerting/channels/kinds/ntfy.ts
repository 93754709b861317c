import { cut, cutBytes } from "../../../platform/text.ts";
import { attempt, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { choiceField, secretField, textField, urlField } from "./fields.ts";
import { isEnd, isUrgent, priorityOf } from "./urgency.ts";

/** Bytes. ntfy turns a longer message into an attachment. */
const MAX_MESSAGE_BYTES = 4096;
/** Bytes. ntfy refuses a longer body, in which each quotation mark of the message takes two. */
const MAX_BODY_BYTES = 2 * MAX_MESSAGE_BYTES;
const MAX_TITLE = 250;
const DEFAULT_PRIORITY = 3;

/** A button that acknowledges at once, and then removes the notification. */
function acknowledgeAction(url: string) {
  return { action: "http", label: "Acknowledge", url, method: "POST", clear: true };
}

/** ntfy.sh, or a self-hosted ntfy server. */
export const ntfy: ChannelKind = {
  kind: "ntfy",
  label: "ntfy",
  grouped: true,
  fields: [
    urlField("url", "Server", "address of the ntfy server", { initial: "https://ntfy.sh" }),
    textField("topic", "Topic", "topic to publish to"),
    secretField("token", "Access token", "for topics that need one", { required: false }),
    choiceField(
      "priority",
      "Priority",
      "priority of failures, from 1 (no sound) to 5 (loudest); other messages have 3",
      { initial: "4", choices: ["1", "2", "3", "4", "5"] },
    ),
  ],
  check: ({ topic = "" }) =>
    /^[-_A-Za-z0-9]{1,64}$/.test(topic)
      ? null
      : { field: "topic", allowed: "1 to 64 letters, digits, - and _" },
  send({ url = "", topic, token, priority }, { kind, title, text, url: click, acknowledgeUrl }, egress) {
    const bodyOf = (maxBytes: number) => ({
      topic,
      title: cut(title, MAX_TITLE),
      message: cutBytes(text, maxBytes),
      priority: priorityOf(kind, priority, DEFAULT_PRIORITY),
      tags: [isUrgent(kind) ? "rotating_light" : isEnd(kind) ? "white_check_mark" : "information_source"],
      ...(click !== null && { click }),
      ...(acknowledgeUrl !== null && { actions: [acknowledgeAction(acknowledgeUrl)] }),
    });
    const isTooLong = Buffer.byteLength(JSON.stringify(bodyOf(MAX_MESSAGE_BYTES))) > MAX_BODY_BYTES;
    // No character takes more than six times its bytes.
    const body = bodyOf(isTooLong ? Math.floor(MAX_MESSAGE_BYTES / 6) : MAX_MESSAGE_BYTES);
    return attempt(egress, url, jsonRequest(body, token ? { Authorization: `Bearer ${token}` } : {}));
  },
};
