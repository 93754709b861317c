import { cut } from "../../../platform/text.ts";
import { attempt, jsonRequest } from "./answers.ts";
import type { AlertMessage, ChannelKind } from "./channel-kind.ts";
import { below, choiceField, secretField, urlField } from "./fields.ts";
import { isEnd } from "./urgency.ts";

const MAX_SUMMARY = 1024;
const MAX_KEY = 255;
const MAX_DETAIL = 16_384;

function trigger(
  { id, kind, rule, title, text, url, acknowledgeUrl, at, events }: AlertMessage,
  severity: string | undefined,
) {
  const [event] = events;
  const links = [
    ...(url === null ? [] : [{ href: url, text: "Open in Muster" }]),
    ...(acknowledgeUrl === null ? [] : [{ href: acknowledgeUrl, text: "Acknowledge in Muster" }]),
  ];
  return {
    event_action: "trigger",
    dedup_key: (event?.key ?? id).slice(0, MAX_KEY),
    payload: {
      summary: cut(title, MAX_SUMMARY),
      source: event?.hostname || "muster",
      severity: kind === "test" || kind === "change" ? "info" : severity,
      timestamp: new Date((event?.date ?? at) * 1000).toISOString(),
      ...(event && { component: event.service, class: event.type }),
      custom_details: { rule, text: cut(text, MAX_DETAIL) },
    },
    client: "Muster",
    ...(url !== null && { client_url: url }),
    ...(links.length > 0 && { links }),
  };
}

/**
 * PagerDuty incidents, opened by a failure and resolved by its recovery. One incident per failure, so never
 * grouped.
 */
export const pagerduty: ChannelKind = {
  kind: "pagerduty",
  label: "PagerDuty",
  grouped: false,
  fields: [
    urlField(
      "url",
      "Server",
      "address of the Events API; https://events.eu.pagerduty.com in the European region",
      { initial: "https://events.pagerduty.com" },
    ),
    secretField("routingkey", "Integration key", "key of an integration with the Events API v2"),
    choiceField("severity", "Severity", "severity of failures", {
      initial: "error",
      choices: ["critical", "error", "warning", "info"],
    }),
  ],
  send({ url = "", routingkey: routing_key, severity }, message, egress) {
    const [event] = message.events;
    const action = isEnd(message.kind)
      ? { event_action: "resolve", dedup_key: (event?.key ?? message.id).slice(0, MAX_KEY) }
      : trigger(message, severity);
    return attempt(egress, below(url, "/v2/enqueue"), jsonRequest({ routing_key, ...action }));
  },
};
