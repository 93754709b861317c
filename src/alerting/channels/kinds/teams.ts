import type { EgressResponse } from "../../../platform/egress/egress.ts";
import { cut } from "../../../platform/text.ts";
import { attempt, byStatus, jsonRequest } from "./answers.ts";
import type { Answer, ChannelKind, MessageKind } from "./channel-kind.ts";
import { webhookAddress } from "./fields.ts";
import { isEnd, isUrgent } from "./urgency.ts";

/** Teams allows 28 KB per message. Escaping may turn one character into six bytes. */
const MAX_TEXT = 4000;
const MAX_TITLE = 250;

/** Escapes Markdown, part of which Teams renders in texts. */
function escaped(text: string): string {
  return text.replace(/[\\`*_[\]()#~>|]/g, "\\$&");
}

function styleOf(kind: MessageKind): string {
  if (isUrgent(kind)) return "attention";
  if (kind === "change") return "warning";
  return isEnd(kind) ? "good" : "default";
}

function openAction(title: string, url: string) {
  return { type: "Action.OpenUrl", title, url };
}

/** Old connectors answer 200 even when delivery failed, and say so only in the body. */
function judge(response: EgressResponse): Answer {
  const answer = byStatus(response);
  const failed = answer.outcome === "sent" && /^webhook message delivery failed/i.test(response.body.trim());
  return failed ? { ...answer, outcome: "failed" } : answer;
}

/** A Microsoft Teams workflow that posts what it receives by webhook. */
export const teams: ChannelKind = {
  kind: "teams",
  label: "Microsoft Teams",
  grouped: true,
  ...webhookAddress("address of a workflow that posts to a channel when a webhook request is received"),
  send({ url = "" }, { kind, title, text, url: link, acknowledgeUrl }, egress) {
    const actions = [
      ...(link === null ? [] : [openAction("Open in Muster", link)]),
      ...(acknowledgeUrl === null ? [] : [openAction("Acknowledge", acknowledgeUrl)]),
    ];
    const lines = escaped(cut(text, MAX_TEXT)).split("\n").join("\n\n");
    const content = {
      $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
      type: "AdaptiveCard",
      version: "1.4",
      msteams: { width: "Full" },
      body: [
        {
          type: "TextBlock",
          text: escaped(cut(title, MAX_TITLE)),
          size: "Large",
          weight: "Bolder",
          color: styleOf(kind),
          wrap: true,
        },
        { type: "TextBlock", text: lines, wrap: true },
      ],
      ...(actions.length > 0 && { actions }),
    };
    const contentType = "application/vnd.microsoft.card.adaptive";
    const body = { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
    return attempt(egress, url, jsonRequest(body), judge);
  },
};
