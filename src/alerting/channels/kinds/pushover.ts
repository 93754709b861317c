import { cut, cutBytes } from "../../../platform/text.ts";
import { attempt } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { below, choiceField, secretField, textField, urlField } from "./fields.ts";
import { linkLines } from "./links.ts";
import { priorityOf } from "./urgency.ts";

const MAX_TITLE = 250;
/** Pushover's limit is 1024 characters; counting bytes stays within it. */
const MAX_MESSAGE_BYTES = 1024;
const MAX_URL = 512;
const EMERGENCY = 2;
/** Seconds. An emergency message is repeated every minute until it is acknowledged, for at most an hour. */
const REPEAT = { retry: "60", expire: "3600" };

/** Pushover push notifications. */
export const pushover: ChannelKind = {
  kind: "pushover",
  label: "Pushover",
  grouped: true,
  fields: [
    urlField("url", "Server", "address of the Pushover API", { initial: "https://api.pushover.net" }),
    secretField("token", "Application token", "token of an application"),
    secretField("user", "User key", "key of a user or a group"),
    textField("device", "Device", "only this device, by its name", { required: false }),
    choiceField(
      "priority",
      "Priority",
      "priority of failures, from -2 (no alert) to 2 (repeats until acknowledged); other messages have at most 0",
      { initial: "1", choices: ["-2", "-1", "0", "1", "2"] },
    ),
  ],
  send({ url = "", token = "", user = "", device, priority }, message, egress) {
    const [link = ""] = linkLines({ url: null, acknowledgeUrl: message.acknowledgeUrl });
    const text = cutBytes(message.text, MAX_MESSAGE_BYTES - Buffer.byteLength(link) - 2);
    const level = priorityOf(message.kind, priority, 0);
    const form = new URLSearchParams({
      token,
      user,
      title: cut(message.title, MAX_TITLE),
      message: [text, link].filter(Boolean).join("\n\n") || message.kind,
      priority: String(level),
      timestamp: String(message.at),
      ...(device && { device }),
      ...(level === EMERGENCY && REPEAT),
      ...(message.url !== null &&
        message.url.length <= MAX_URL && { url: message.url, url_title: "Open in Muster" }),
    });
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    return attempt(egress, below(url, "/1/messages.json"), {
      method: "POST",
      headers,
      body: form.toString(),
    });
  },
};
