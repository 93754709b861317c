import * as v from "valibot";
import { boolean, emptiable, id, integer, orEmpty, text } from "../http/validate.ts";
import { timeZone } from "../settings/settings.definitions.ts";
import { dayOfWeek, eventFilterReply, filterArguments, timeOfDay } from "./filters.schemas.ts";

const MAX_MINUTES = 10_080; // a week

const minutes = v.optional(integer(0, MAX_MINUTES, `a number of minutes from 0 to ${MAX_MINUTES}`));
const timeOrNone = v.optional(orEmpty(timeOfDay));
const channels = v.optional(v.pipe(emptiable(id), v.maxLength(100)));
const flag = v.optional(boolean);

const contentArguments = {
  enabled: flag,
  ...filterArguments,
  delay: minutes,
  repeat: minutes,
  recovery: flag,
  final: flag,
  quietdays: v.optional(emptiable(dayOfWeek)),
  quietfrom: timeOrNone,
  quietto: timeOrNone,
  quiettimezone: v.optional(timeZone),
  escalateafter: minutes,
  channelid: channels,
  escalationchannelid: channels,
};

const name = text(1, 255);

export const createArguments = v.object({ name, ...contentArguments });
export const updateArguments = v.object({ id, name: v.optional(name), ...contentArguments });
export const moveArguments = v.object({
  id,
  position: integer(1, Number.MAX_SAFE_INTEGER, "a place in the order, from 1"),
});

const content = v.object(contentArguments);
/** Everything but name and id; what is absent stays as it was, or as new rules begin. */
export type RuleArguments = v.InferOutput<typeof content>;
export type RuleCreation = v.InferOutput<typeof createArguments>;
export type RuleUpdate = v.InferOutput<typeof updateArguments>;

/** A rule that need not be there yet, over the last days. */
export const previewArguments = v.object({
  id: v.optional(id),
  name: v.optional(name),
  ...contentArguments,
  days: v.optional(integer(1, 31, "a number of days from 1 to 31"), 7),
});

const number = v.number();
const string = v.string();

export const ruleReply = v.object({
  id: number,
  name: string,
  position: number,
  enabled: v.boolean(),
  filter: eventFilterReply,
  delay: number,
  repeat: number,
  recovery: v.boolean(),
  final: v.boolean(),
  quiet: v.nullable(v.object({ days: v.array(number), from: string, to: string, timezone: string })),
  escalateafter: number,
  channels: v.array(number),
  escalationchannels: v.array(number),
});
export type RuleReply = v.InferOutput<typeof ruleReply>;

export const previewReply = v.object({
  records: v.array(
    v.object({
      date: number,
      kind: v.picklist(["problem", "change", "reminder", "escalation", "recovery"]),
      title: string,
      events: v.array(number),
      heldback: string,
      channels: v.array(number),
    }),
  ),
  total: number,
  matched: number,
  taken: number,
  datefrom: number,
  dateto: number,
  truncated: v.boolean(),
});

export const ruleListReply = v.object({ totalRecords: number, records: v.array(ruleReply) });
