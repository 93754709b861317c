import { cut } from "../../../platform/text.ts";
import { attempt, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { below, choiceField, secretField, urlField } from "./fields.ts";
import { linkLines } from "./links.ts";
import { priorityOf } from "./urgency.ts";

const MAX_TITLE = 250;
/** Gotify has no limit; a phone shows less than this anyway. */
const MAX_TEXT = 16_384;
/** Highest priority of a message that is not about a failure. */
const QUIET = 4;

/** A Gotify server. */
export const gotify: ChannelKind = {
  kind: "gotify",
  label: "Gotify",
  grouped: true,
  fields: [
    urlField("url", "Server", "address of the Gotify server"),
    secretField("token", "Application token", "token of an application"),
    choiceField("priority", "Priority", "priority of failures, from 0 to 10; other messages have at most 4", {
      initial: "8",
      choices: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
    }),
  ],
  send({ url = "", token = "", priority }, { kind, title, text, url: link, acknowledgeUrl }, egress) {
    const body = {
      title: cut(title, MAX_TITLE),
      message: [cut(text, MAX_TEXT), ...linkLines({ url: null, acknowledgeUrl })].join("\n\n"),
      priority: priorityOf(kind, priority, QUIET),
      extras: {
        "client::display": { contentType: "text/plain" },
        ...(link !== null && { "client::notification": { click: { url: link } } }),
      },
    };
    return attempt(egress, below(url, "/message"), jsonRequest(body, { "X-Gotify-Key": token }));
  },
};
