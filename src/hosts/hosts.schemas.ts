import * as v from "valibot";
import { ACTIONS } from "../agent/agent.client.ts";
import { id, integer, oneOf, oneOfNumbers, text } from "../http/validate.ts";

export const hostname = text(1, 255);
export const description = text(0, 4096);
export const zeroOrOne = oneOfNumbers([0, 1]);
export const port = integer(1, 65_535);
export const skew = integer(1, 1000);

export const updateArguments = v.object({
  id,
  hostname,
  agentuser: text(0, 255),
  agentpassword: text(0, 255),
  keepname: v.optional(zeroOrOne),
  description: v.optional(description),
  status: v.optional(oneOfNumbers([0, 1, 2])),
  ipaddrout: v.optional(text(0, 255)),
  portout: v.optional(integer(-1, 65_535, "-1 or a port from 1 to 65535")),
  sslout: v.optional(oneOfNumbers([-1, 0, 1])),
  sslverify: v.optional(zeroOrOne),
  skew: v.optional(skew),
});
/** What is undefined is kept. Where credentials may be left out at all, the mount says. */
export type HostUpdate = Partial<v.InferOutput<typeof updateArguments>> & { id: number; hostname: string };

export const deleteArguments = v.object({
  id: v.optional(id),
  inactive: v.optional(integer(0, Number.MAX_SAFE_INTEGER, "a number of seconds")),
});

export const testArguments = v.object({
  ipaddr: text(1, 255),
  port,
  ssl: zeroOrOne,
  sslverify: v.optional(zeroOrOne, 1),
  agentuser: text(0, 255),
  agentpassword: text(0, 255),
});
export type HostTest = v.InferOutput<typeof testArguments>;

export const actionArguments = v.object({
  id,
  action: oneOf(ACTIONS),
  service: v.pipe(v.array(text(1, 255)), v.minLength(1)),
});
export type HostAction = v.InferOutput<typeof actionArguments>;

export const hostListReply = v.object({
  totalRecords: v.number(),
  records: v.array(
    v.object({
      id: v.number(),
      hostname: v.string(),
      ipaddr: v.string(),
      description: v.string(),
      agentversion: v.string(),
      status: v.picklist(["Active", "Inactive", "Ignored"]),
    }),
  ),
});

export const hostReply = v.object({
  id: v.number(),
  hostname: v.string(),
  keepname: v.number(),
  ipaddrin: v.string(),
  ipaddrout: v.string(),
  portin: v.number(),
  portout: v.number(),
  sslin: v.number(),
  sslout: v.number(),
  sslverify: v.number(),
  agentid: v.string(),
  agentuser: v.string(),
  agentpassword: v.string(),
  description: v.string(),
  status: v.number(),
  skew: v.number(),
  poll: v.number(),
  lastmodified: v.number(),
  conflict: v.string(),
});

export const actionReply = v.object({ service: v.array(v.string()), action: v.string() });
export const testReply = v.object({ status: v.picklist(["green", "red"]), description: v.string() });
export const deleteReply = v.object({ deleted: v.number() });
