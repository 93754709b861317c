import { cut, cutBytes } from "../../../platform/text.ts";
import { attempt, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { isEnd, isUrgent } from "./urgency.ts";

/** Bytes. ntfy turns a longer message into an attachment. */
const MAX_MESSAGE_BYTES = 4096;
const MAX_TITLE = 250;
const DEFAULT_PRIORITY = 3;

/** ntfy.sh, or a self-hosted ntfy server. */
export const ntfy: ChannelKind = {
  kind: "ntfy",
  label: "ntfy",
  grouped: true,
  fields: [
    {
      name: "url",
      label: "Server",
      type: "url",
      required: true,
      initial: "https://ntfy.sh",
      doc: "address of the ntfy server",
    },
    { name: "topic", label: "Topic", type: "text", required: true, doc: "topic to publish to" },
    {
      name: "token",
      label: "Access token",
      type: "secret",
      required: false,
      doc: "for topics that need one",
    },
    {
      name: "priority",
      label: "Priority",
      type: "choice",
      required: true,
      initial: "4",
      choices: ["1", "2", "3", "4", "5"],
      doc: "priority of failures, from 1 (no sound) to 5 (loudest); other messages have 3",
    },
  ],
  check: ({ topic = "" }) =>
    /^[-_A-Za-z0-9]{1,64}$/.test(topic)
      ? null
      : { field: "topic", allowed: "1 to 64 letters, digits, - and _" },
  send({ url = "", topic, token, priority }, { kind, title, text, url: click }, egress) {
    const body = {
      topic,
      title: cut(title, MAX_TITLE),
      message: cutBytes(text, MAX_MESSAGE_BYTES),
      priority: isUrgent(kind) ? Number(priority) : Math.min(Number(priority), DEFAULT_PRIORITY),
      tags: [isUrgent(kind) ? "rotating_light" : isEnd(kind) ? "white_check_mark" : "information_source"],
      ...(click !== null && { click }),
    };
    return attempt(egress, url, jsonRequest(body, token ? { Authorization: `Bearer ${token}` } : {}));
  },
};
