import type { EgressResponse } from "../../../platform/egress/egress.ts";
import { cut } from "../../../platform/text.ts";
import { attempt, byStatus, jsonRequest, retryAfterSeconds } from "./answers.ts";
import type { Answer, ChannelKind } from "./channel-kind.ts";
import { secretAddress } from "./fields.ts";
import { jsonOf } from "./json.ts";
import { colourOf } from "./urgency.ts";

/** A title may have 256 characters and a description 4096; escaped, one character may take two. */
const MAX_TITLE = 128;
const MAX_TEXT = 2048;

function escaped(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#@-]/g, "\\$&");
}

/** How long to wait stands in the body, in seconds. */
function judge(response: EgressResponse): Answer {
  const answer = byStatus(response);
  const { retry_after } = jsonOf(response.body);
  const retryAfter =
    answer.outcome === "failed" ? retryAfterSeconds(Number(retry_after ?? Number.NaN)) : undefined;
  return { ...answer, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Waits for the answer of the far side instead of an empty one. */
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
  fields: [
    {
      name: "url",
      label: "Webhook address",
      type: "secret",
      required: true,
      doc: "address of the channel's webhook",
    },
  ],
  check: secretAddress("url"),
  send({ url = "" }, { kind, title, text, url: link, at }, egress) {
    const embed = {
      title: escaped(cut(title, MAX_TITLE)),
      description: escaped(cut(text, MAX_TEXT)),
      color: colourOf(kind),
      timestamp: new Date(at * 1000).toISOString(),
      ...(link !== null && { url: link }),
    };
    // Nobody is called, whatever a text says.
    const body = { username: "Muster", embeds: [embed], allowed_mentions: { parse: [] } };
    return attempt(egress, waiting(url), jsonRequest(body), judge);
  },
};
