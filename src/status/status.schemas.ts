import * as v from "valibot";
import { direction, results, startindex } from "../http/paging.ts";
import { id, oneOf, oneOfNumbers, text } from "../http/validate.ts";

export const led = oneOfNumbers([0, 1, 2, 3]);
export const hostListArguments = v.object({
  hostid: v.optional(v.array(id)),
  hostgroupid: v.optional(v.array(id)),
  led: v.optional(v.array(led)),
  hostpattern: v.optional(text(0, 255)),
  results: v.optional(results),
  startindex: v.optional(startindex, 0),
  sort: v.optional(oneOf(["hostname", "led", "events", "cpu", "mem", "status"]), "hostname"),
  dir: v.optional(direction, "asc"),
});
export type HostListArguments = v.InferOutput<typeof hostListArguments>;

const number = v.number();
const ledReply = v.pipe(number, v.description("0 red, 1 orange, 2 green, 3 gray"));
const string = v.string();

export const hostListReply = v.object({
  recordsReturned: number,
  pageSize: number,
  totalRecords: number,
  startIndex: number,
  sort: string,
  dir: string,
  records: v.array(
    v.object({
      id: number,
      led: ledReply,
      hostname: string,
      events: number,
      cpu: number,
      mem: number,
      status: string,
      statusid: number,
      heartbeat: number,
      lastmodified: number,
    }),
  ),
});

const statistic = v.object({
  id: number,
  type: number,
  descriptor: string,
  value: number,
  text: v.optional(string),
});

const service = v.object({
  id: number,
  name: string,
  nameid: number,
  type: string,
  typeid: number,
  monitorstate: number,
  monitormode: number,
  onreboot: number,
  status: string,
  led: ledReply,
  events: number,
  every: string,
  statistics: v.array(statistic),
});

export const hostReply = v.object({
  records: v.object({
    is_user_admin: v.boolean(),
    host: v.object({
      id: number,
      name: string,
      led: ledReply,
      status: string,
      statusid: number,
      heartbeat: number,
      lastmodified: number,
      conflict: string,
      platform: v.object({ name: string, release: string, version: string, machine: string }),
      cpu: v.object({ count: number }),
      memory: v.object({ size: number }),
      swap: v.object({ size: number }),
      agent: v.object({
        id: string,
        version: string,
        controlfile: string,
        poll: number,
        startdelay: number,
        uptime: string,
      }),
      services: v.array(service),
    }),
  }),
});

export const summaryReply = v.object({ status: v.array(v.object({ label: string, data: number })) });
