import * as v from "valibot";
import { results, startindex } from "../http/paging.ts";
import { id, oneOf, unixTimestamp } from "../http/validate.ts";

const number = v.number();
const string = v.string();

const status = oneOf(["pending", "sending", "sent", "failed"]);
const statusReply = v.pipe(
  v.picklist(["pending", "sending", "sent", "failed"]),
  v.description("pending: it waits for its first or next attempt"),
);
const kindReply = v.picklist(["problem", "change", "reminder", "escalation", "recovery"]);

export const deliveryListArguments = v.object({
  channelid: v.optional(id),
  ruleid: v.optional(id),
  eventid: v.optional(id),
  status: v.optional(v.array(status)),
  datefrom: v.optional(unixTimestamp),
  dateto: v.optional(unixTimestamp),
  results: v.optional(results, 50),
  startindex: v.optional(startindex, 0),
});
export type DeliveryListArguments = v.InferOutput<typeof deliveryListArguments>;

export const deliveryListReply = v.object({
  recordsReturned: number,
  pageSize: number,
  totalRecords: number,
  startIndex: number,
  records: v.array(
    v.object({
      id: number,
      date: number,
      kind: kindReply,
      status: statusReply,
      attempts: number,
      next: v.nullable(number),
      finished: v.nullable(number),
      answer: string,
      rule: string,
      ruleid: v.nullable(number),
      channel: string,
      channelid: v.nullable(number),
      eventcount: number,
      events: v.array(v.object({ id: number, host: string, service: string })),
    }),
  ),
});

export const eventAlertsReply = v.object({
  records: v.array(
    v.object({
      rule: string,
      kind: kindReply,
      channel: string,
      status: statusReply,
      date: number,
      finished: v.nullable(number),
      attempts: number,
      answer: string,
    }),
  ),
  heldback: v.array(v.object({ rule: string, reason: string })),
});
