import type { EgressResponse } from "../../../platform/egress/egress.ts";
import { cut } from "../../../platform/text.ts";
import { attempt, byStatus, jsonRequest } from "./answers.ts";
import type { Answer, ChannelKind, MessageKind } from "./channel-kind.ts";
import { below, secretField, textField, urlField } from "./fields.ts";
import { linkLines } from "./links.ts";
import { isEnd, isUrgent } from "./urgency.ts";

/** Apprise cuts or splits a text as each service needs. This keeps an SMS from becoming dozens of them. */
const MAX_TEXT = 4096;
const MAX_TITLE = 250;

/** The server has nothing to notify: no such key, or no address that it understands. */
const NO_CONTENT = 204;
/** At least one of the services behind the server did not accept the message. */
const FAILED_DEPENDENCY = 424;

/** Apprise's names of urgency; services turn them into colours and symbols. */
function typeOf(kind: MessageKind): string {
  if (isUrgent(kind)) return "failure";
  if (kind === "change") return "warning";
  return isEnd(kind) ? "success" : "info";
}

function judge(response: EgressResponse): Answer {
  const answer = byStatus(response);
  if (response.status === NO_CONTENT)
    return {
      outcome: "refused",
      detail: "204: the server has nothing to notify under this key or these URLs",
    };
  return response.status === FAILED_DEPENDENCY ? { ...answer, outcome: "failed" } : answer;
}

/** An Apprise API server, which passes messages on to Signal, SMS, Google Chat and many other services. */
export const apprise: ChannelKind = {
  kind: "apprise",
  label: "Apprise",
  grouped: true,
  fields: [
    urlField("url", "Server", "address of the Apprise API server"),
    textField("key", "Configuration", "key of a configuration that is stored on the server", {
      required: false,
    }),
    textField("tag", "Tags", "only the services of the configuration that have one of these tags", {
      required: false,
    }),
    secretField(
      "urls",
      "Apprise URLs",
      "addresses of services instead of a configuration, as in signal://..., separated by commas",
      { required: false },
    ),
    textField("user", "User name", "if a proxy in front of the server requires a login", { required: false }),
    secretField("password", "Password", "password of that user", { required: false }),
  ],
  check({ key = "", tag = "", urls = "", user = "", password = "" }) {
    if (!/^[\w-]{0,128}$/.test(key)) return { field: "key", allowed: "at most 128 letters, digits, - and _" };
    if ((key === "") === (urls === ""))
      return { field: "key", allowed: "given, or else the Apprise URLs, but not both" };
    if (urls !== "" && !/^[a-z\d]+:\/\/./i.test(urls))
      return { field: "urls", allowed: "Apprise URLs, as in signal://..." };
    if (tag !== "" && key === "") return { field: "tag", allowed: "given with a configuration only" };
    if (user.includes(":")) return { field: "user", allowed: "free of colons" };
    return password !== "" && user === "" ? { field: "user", allowed: "given with a password" } : null;
  },
  send({ url = "", key, tag, urls, user, password }, message, egress) {
    const { kind, title, text } = message;
    const body = {
      title: cut(title, MAX_TITLE),
      body: [cut(text, MAX_TEXT), ...linkLines(message)].join("\n\n"),
      type: typeOf(kind),
      format: "text",
      ...(tag && { tag }),
      ...(urls && { urls }),
    };
    const login = Buffer.from(`${user}:${password}`, "utf8").toString("base64");
    const headers = { Accept: "application/json", ...(user && { Authorization: `Basic ${login}` }) };
    return attempt(egress, below(url, key ? `/notify/${key}` : "/notify"), jsonRequest(body, headers), judge);
  },
};
