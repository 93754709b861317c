import type { EgressResponse } from "../../../platform/egress/egress.ts";
import { cut } from "../../../platform/text.ts";
import { attempt, byStatus, jsonRequest, retryAfterSeconds } from "./answers.ts";
import type { Answer, ChannelKind } from "./channel-kind.ts";
import { below } from "./fields.ts";
import { jsonOf } from "./json.ts";

const MAX_TEXT = 4096;

/** Telegram sends the time to wait in the body. */
function judge(response: EgressResponse): Answer {
  const answer = byStatus(response);
  const { parameters } = jsonOf(response.body) as { parameters?: { retry_after?: unknown } };
  const seconds = Number(parameters?.retry_after ?? Number.NaN);
  const retryAfter = answer.outcome === "failed" ? retryAfterSeconds(seconds) : undefined;
  return { ...answer, ...(retryAfter !== undefined && { retryAfter }) };
}

/** A Telegram bot that posts to a chat. */
export const telegram: ChannelKind = {
  kind: "telegram",
  label: "Telegram",
  grouped: true,
  fields: [
    {
      name: "url",
      label: "Server",
      type: "url",
      required: true,
      initial: "https://api.telegram.org",
      doc: "address of the Bot API",
    },
    { name: "token", label: "Bot token", type: "secret", required: true, doc: "token that BotFather gave" },
    {
      name: "chat",
      label: "Chat",
      type: "text",
      required: true,
      doc: "id of the chat, or @name of a public channel",
    },
    { name: "thread", label: "Topic", type: "text", required: false, doc: "id of a topic within the chat" },
  ],
  check({ token = "", chat = "", thread = "" }) {
    if (!/^\d+:[\w-]+$/.test(token)) return { field: "token", allowed: "a bot token, as in 123456:ABC-def" };
    if (!/^(-?\d{1,20}|@\w{1,64})$/.test(chat))
      return { field: "chat", allowed: "the id of a chat, or @name" };
    return /^\d{0,15}$/.test(thread) ? null : { field: "thread", allowed: "a number" };
  },
  send({ url = "", token = "", chat, thread }, { title, text, url: link }, egress) {
    const end = link === null ? "" : `\n\n${link}`;
    const body = {
      chat_id: chat,
      text: cut(`${title}\n\n${text}`, MAX_TEXT - end.length) + end,
      link_preview_options: { is_disabled: true },
      ...(thread && { message_thread_id: Number(thread) }),
    };
    return attempt(egress, below(url, `/bot${token}/sendMessage`), jsonRequest(body), judge);
  },
};
