/** The fields of a message by name, and JSON request bodies written by administrators, with {{placeholders}}. */

import { reasonOf } from "../../../platform/text.ts";
import type { AlertMessage } from "./channel-kind.ts";

/** With the spaces around the name: an expression that leaves them out takes very long for many spaces without an end. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** The default webhook body. Its fields are also the placeholders of a template, and variables of programs. */
export function payloadOf({ id, kind, rule, title, text, url, acknowledgeUrl, at, events }: AlertMessage) {
  return {
    id,
    kind,
    rule,
    title,
    text,
    url,
    acknowledgeurl: acknowledgeUrl,
    date: at,
    events: events.map(({ hostId, hostname, ...event }) => ({ ...event, hostid: hostId, host: hostname })),
  };
}

/** The texts of a message and of its first event, by name; "" for each that is absent. */
export function textsOf(message: AlertMessage): Readonly<Record<string, string>> {
  const { events, date: _date, ...texts } = payloadOf(message);
  const [first] = events;
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text ?? ""])),
    host: first?.host ?? "",
    service: first?.service ?? "",
    type: first?.type ?? "",
    state: first?.state ?? "",
    message: first?.message ?? "",
    key: first?.key ?? "",
  };
}

/** The value of each placeholder, as JSON: strings without their quotes, everything else as a whole. */
function valuesOf(message: AlertMessage): Readonly<Record<string, string>> {
  const { events, date } = payloadOf(message);
  return {
    ...Object.fromEntries(Object.entries(textsOf(message)).map(([name, text]) => [name, escaped(text)])),
    date: String(date),
    events: JSON.stringify(events),
  };
}

/** Fills a template. Substitution runs once: placeholders inside values are left as they are. */
export function fill(template: string, message: AlertMessage): string {
  const values = valuesOf(message);
  return template.replace(PLACEHOLDER, (_whole, name: string) => values[name.trim()] ?? "");
}

/** Sample values that produce invalid JSON wherever a placeholder stands in the wrong place. */
const SAMPLE: AlertMessage = {
  id: "a b",
  kind: "problem",
  rule: 'a "b" \\',
  title: 'a "b" \\',
  text: 'a\n"b"\t\\',
  url: "https://muster.example/a b",
  acknowledgeUrl: "https://muster.example/a b",
  at: 1,
  events: [
    {
      id: 1,
      hostId: 1,
      hostname: 'a "b"',
      service: 'a "b"',
      type: "a b",
      state: "error",
      message: 'a\n"b" \\',
      date: 1,
      key: "a b",
    },
  ],
};

/** Validates a template. @returns the end of the sentence "<name> must be ..."; null if it is valid */
export function templateFault(template: string): string | null {
  const placeholders = valuesOf(SAMPLE);
  for (const [, name = ""] of template.matchAll(PLACEHOLDER))
    if (!Object.hasOwn(placeholders, name.trim()))
      return `free of {{${name.trim()}}}: there are ${Object.keys(placeholders).join(", ")}`;
  try {
    JSON.parse(fill(template, SAMPLE));
    return null;
  } catch (error) {
    const reason = reasonOf(error);
    return `JSON, with the placeholders of texts within quotes, {{date}} and {{events}} without: ${reason}`;
  }
}
