import { cutBytes } from "../../../platform/text.ts";
import { attempt, byStatusAndBody, jsonRequest } from "./answers.ts";
import type { ChannelKind } from "./channel-kind.ts";
import { below, secretField, textField, urlField } from "./fields.ts";
import { linkLines } from "./links.ts";

/** Matrix allows 64 KB per event. Escaping may turn one byte into six. */
const MAX_TEXT_BYTES = 8192;

/** Old servers send the time to wait in the body only. */
const judge = byStatusAndBody(({ retry_after_ms }) => Number(retry_after_ms ?? Number.NaN) / 1000);

/** A Matrix room. The message's id is the transaction id, so a repeated attempt is delivered only once. */
export const matrix: ChannelKind = {
  kind: "matrix",
  label: "Matrix",
  grouped: true,
  fields: [
    urlField("url", "Homeserver", "address of the homeserver"),
    secretField("token", "Access token", "access token of the account that posts the messages"),
    textField("room", "Room", "internal id of the room, as in !abc:example.org; the account must be in it"),
  ],
  check: ({ room = "" }) =>
    /^!\S{1,254}$/.test(room) ? null : { field: "room", allowed: "an internal room id, which begins with !" },
  send({ url = "", token = "", room = "" }, message, egress) {
    const { id, title, text } = message;
    const links = linkLines(message)
      .map((line) => `\n\n${line}`)
      .join("");
    const body = cutBytes(`${title}\n\n${text}`, MAX_TEXT_BYTES - Buffer.byteLength(links)) + links;
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(id)}`;
    // Without mentions, a text from an agent with @room or a name in it would notify people.
    const event = { msgtype: "m.text", body, "m.mentions": {} };
    const request = jsonRequest(event, { Authorization: `Bearer ${token}` }, "PUT");
    return attempt(egress, below(url, path), request, judge);
  },
};
