/**
 * What a server that speaks the same API answers. The fields of agents have two names: those of the specification, and
 * older ones. Only what Muster takes over is described.
 */
import * as v from "valibot";

/** Some servers write numbers as text. */
const number = v.union([
  v.number(),
  v.pipe(
    v.string(),
    v.regex(/^-?\d+$/),
    v.transform((text) => Number(text)),
  ),
]);
const text = v.optional(v.string(), "");

export const hostList = v.object({ records: v.array(v.object({ id: number })) });

export const hostSettings = v.pipe(
  v.object({
    id: number,
    hostname: v.string(),
    keepname: v.optional(number, 0),
    ipaddrout: text,
    portout: v.optional(number, -1),
    sslout: v.optional(number, -1),
    description: text,
    status: v.optional(number, 0),
    skew: v.optional(number, 3),
    agentid: v.optional(v.string()),
    monitid: v.optional(v.string()),
  }),
  v.transform(({ agentid, monitid, ...host }) => ({ ...host, agentid: agentid ?? monitid ?? "" })),
);
export type PredecessorHost = v.InferOutput<typeof hostSettings>;

export const groupList = v.object({
  groups: v.array(v.object({ name: v.string(), hosts: v.array(number) })),
});
export type PredecessorGroup = v.InferOutput<typeof groupList>["groups"][number];

export const userList = v.array(v.object({ uname: v.string() }));

export const user = v.object({
  uname: v.string(),
  password: text,
  fullname: text,
  title: text,
  email: text,
  phone: text,
  mobile: text,
  imname: text,
  imtype: text,
  admin: v.optional(v.boolean(), false),
});
export type PredecessorUser = v.InferOutput<typeof user>;

export const eventList = v.object({
  totalRecords: number,
  records: v.array(v.object({ id: number, date: number, servicename: v.string(), eventtype: number })),
});

export const eventDetail = v.object({
  servicetype: text,
  action: text,
  message: text,
  note: v.optional(v.array(v.object({ date: number, uname: text, message: text })), []),
});
export type PredecessorEventDetail = v.InferOutput<typeof eventDetail>;
