import { cut } from "../../../platform/text.ts";
import { attempt, byStatusAndBody, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { below, secretField, textField, urlField } from "./fields.ts";
import { linkLines } from "./links.ts";

const MAX_TEXT = 4096;

const judge = byStatusAndBody(
  ({ parameters }) => (parameters as { retry_after?: unknown } | undefined)?.retry_after,
);

/**
 * Telegram refuses a message with a button whose address has no domain, such as that of a machine on a local network.
 */
function isButtonAddress(address: string): boolean {
  return /[^.]\.[a-z]{2,}$/i.test(new URL(address).hostname);
}

/** A Telegram bot that posts to a chat. */
export const telegram: ChannelKind = {
  kind: "telegram",
  label: "Telegram",
  grouped: true,
  fields: [
    urlField("url", "Server", "address of the Bot API", { initial: "https://api.telegram.org" }),
    secretField("token", "Bot token", "token that BotFather gave"),
    textField("chat", "Chat", "id of the chat, or @name of a public channel"),
    textField("thread", "Topic", "id of a topic within the chat", { required: false }),
  ],
  check({ token = "", chat = "", thread = "" }) {
    if (!/^\d+:[\w-]+$/.test(token)) return { field: "token", allowed: "a bot token, as in 123456:ABC-def" };
    if (!/^(-?\d{1,20}|@\w{1,64})$/.test(chat))
      return { field: "chat", allowed: "the id of a chat, or @name" };
    return /^\d{0,15}$/.test(thread) ? null : { field: "thread", allowed: "a number" };
  },
  send({ url = "", token = "", chat, thread }, { title, text, url: link, acknowledgeUrl }, egress) {
    const button = acknowledgeUrl !== null && isButtonAddress(acknowledgeUrl);
    const links = linkLines({ url: link, acknowledgeUrl: button ? null : acknowledgeUrl });
    const end = links.map((line) => `\n\n${line}`).join("");
    const body = {
      chat_id: chat,
      text: cut(`${title}\n\n${text}`, MAX_TEXT - end.length) + end,
      link_preview_options: { is_disabled: true },
      ...(button && { reply_markup: { inline_keyboard: [[{ text: "Acknowledge", url: acknowledgeUrl }]] } }),
      ...(thread && { message_thread_id: Number(thread) }),
    };
    return attempt(egress, below(url, `/bot${token}/sendMessage`), jsonRequest(body), judge);
  },
};
