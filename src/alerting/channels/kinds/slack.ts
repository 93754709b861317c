import { cut } from "../../../platform/text.ts";
import { attempt, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { webhookAddress } from "./fields.ts";

const MAX_HEADER = 150;
const MAX_SECTION = 3000;

/** Escapes Slack's markup: a hostile text could otherwise mention everyone in the channel. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Defuses Markdown: services that take Slack's webhooks, such as Mattermost, read mentions and links in texts. */
function inMarkdown(text: string): string {
  return escaped(text).replaceAll("@", "@\u200b").replaceAll("](", "]\u200b(");
}

const plain = (text: string) => ({ type: "plain_text", text, emoji: false });

/** An incoming webhook of Slack or a compatible service. */
export const slack: ChannelKind = {
  kind: "slack",
  label: "Slack",
  grouped: true,
  ...webhookAddress("address of the incoming webhook"),
  send({ url = "" }, { title, text, url: link, acknowledgeUrl }, egress) {
    const links = [
      ...(link === null ? [] : [`<${link}|Open in Muster>`]),
      ...(acknowledgeUrl === null ? [] : [`<${acknowledgeUrl}|Acknowledge>`]),
    ];
    const blocks = [
      { type: "header", text: plain(cut(title, MAX_HEADER)) },
      { type: "section", text: plain(cut(text, MAX_SECTION) || " ") },
      ...(links.length === 0 ? [] : [{ type: "section", text: { type: "mrkdwn", text: links.join("  ") } }]),
    ];
    // Slack shows the text only in notifications, and the blocks in the channel. Compatible services ignore blocks.
    const parts = [inMarkdown(cut(title, MAX_SECTION)), inMarkdown(cut(text, MAX_SECTION)), links.join("  ")];
    return attempt(egress, url, jsonRequest({ text: parts.filter(Boolean).join("\n\n"), blocks }));
  },
};
