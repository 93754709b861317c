import { createHmac } from "node:crypto";
import { isOfClient } from "../../../platform/egress/header-list.ts";
import { attempt } from "./answers.ts";
import type { ChannelKind, ChannelSettings, Fault } from "./channel-kind.ts";
import { linesField, linesOf, secretField, urlField } from "./fields.ts";
import { fill, payloadOf, templateFault } from "./template.ts";

/** Headers that would let a request claim to come from Muster itself. */
const OF_MUSTER = /^x-muster-/i;
const HEADER = /^([!#$%&'*+.^_`|~\w-]+):([\x20-\x7e\t]*)$/;

/** Name and value of each configured header. */
function headersOf(settings: ChannelSettings): [string, string][] {
  return [...linesOf(settings.headers ?? ""), ...linesOf(settings.secretheader ?? "")].map((line) => {
    const [, name = "", value = ""] = HEADER.exec(line) ?? [];
    return [name, value.trim()];
  });
}

function headerFault(settings: ChannelSettings): Fault | null {
  for (const field of ["headers", "secretheader"]) {
    const wrong = linesOf(settings[field] ?? "").some((line) => {
      const name = HEADER.exec(line)?.[1];
      return name === undefined || isOfClient(name) || OF_MUSTER.test(name);
    });
    if (wrong)
      return { field, allowed: "headers, as in Name: value, other than those that Muster sets itself" };
  }
  return null;
}

/** Signs time and body, so that a captured request cannot be replayed later. */
function signature(secret: string, timestamp: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

/** Any HTTP service that accepts JSON. */
export const webhook: ChannelKind = {
  kind: "webhook",
  label: "Webhook",
  grouped: true,
  fields: [
    urlField("url", "Address", "where the message is posted to"),
    linesField(
      "template",
      "Body",
      "JSON to send instead of the default, with {{title}}, {{text}} and the like",
      { required: false },
    ),
    secretField(
      "secret",
      "Signing secret",
      "signs each request, so that the recipient can verify the sender",
      { required: false },
    ),
    linesField(
      "headers",
      "Headers",
      "more headers, one per line, as in Name: value; everyone who sees the channel sees them",
      { required: false },
    ),
    secretField(
      "secretheader",
      "Secret header",
      "one more header that nobody sees again, as in Authorization: Bearer ...",
      { required: false },
    ),
  ],
  check(settings) {
    const allowed = settings.template ? templateFault(settings.template) : null;
    return allowed === null ? headerFault(settings) : { field: "template", allowed };
  },
  send(settings, message, egress) {
    const { url = "", template, secret } = settings;
    const body = template ? fill(template, message) : JSON.stringify(payloadOf(message));
    const timestamp = String(egress.now());
    const headers = {
      "Content-Type": "application/json",
      ...Object.fromEntries(headersOf(settings)),
      "X-Muster-Id": message.id,
      "X-Muster-Timestamp": timestamp,
      ...(secret && { "X-Muster-Signature": signature(secret, timestamp, body) }),
    };
    return attempt(egress, url, { method: "POST", headers, body });
  },
};
