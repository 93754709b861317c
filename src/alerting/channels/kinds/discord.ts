import { cut } from "../../../platform/text.ts";
import { attempt, byStatusAndBody, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { webhookAddress } from "./fields.ts";
import { colourOf } from "./urgency.ts";

/**
 * Discord allows 256 characters in a title and 4096 in a description. Escaping may double a text, and a link follows.
 */
const MAX_TITLE = 128;
const MAX_TEXT = 1880;

function escaped(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@-]/g, "\\$&");
}

const judge = byStatusAndBody(({ retry_after }) => retry_after);

/** Makes Discord confirm the message; by default its response is empty. */
function waiting(address: string): string {
  const url = new URL(address);
  url.searchParams.set("wait", "true");
  return url.href;
}

/** A webhook of a Discord channel. */
export const discord: ChannelKind = {
  kind: "discord",
  label: "Discord",
  grouped: true,
  ...webhookAddress("address of the channel's webhook"),
  send({ url = "" }, { kind, title, text, url: link, acknowledgeUrl, at }, egress) {
    const embed = {
      title: escaped(cut(title, MAX_TITLE)),
      description:
        escaped(cut(text, MAX_TEXT)) +
        (acknowledgeUrl === null ? "" : `\n\n[Acknowledge](${acknowledgeUrl})`),
      color: colourOf(kind),
      timestamp: new Date(at * 1000).toISOString(),
      ...(link !== null && { url: link }),
    };
    // No text can mention (and so ping) anyone.
    const body = { username: "Muster", embeds: [embed], allowed_mentions: { parse: [] } };
    return attempt(egress, waiting(url), jsonRequest(body), judge);
  },
};
