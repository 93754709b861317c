import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, id, idOf, text } from "../../platform/http/validate.ts";

const service = (meaning: string) => described(v.optional(text(0, 255), ""), meaning);

export const listArguments = v.object({
  hostid: described(v.optional(id), "only those in which this host is the dependent or the cause"),
});

export const createArguments = v.object({
  hostid: described(id, "id of the host that depends on another, or whose service does"),
  service: service("name of the service that depends on it; empty: the whole host"),
  causehostid: described(id, "id of the host that it depends on, or whose service it depends on"),
  causeservice: service("name of the service that it depends on; empty: the host itself, when it is down"),
});
export type CreateArguments = v.InferOutput<typeof createArguments>;

export const createReply = v.object({ id: described(v.number(), "id of the new dependency") });

export const deleteArguments = v.object({ id: idOf("dependency") });

const record = v.object({
  id: described(v.number(), "id of the dependency"),
  hostid: described(v.number(), "id of the host that depends on another"),
  host: described(v.string(), "name of that host"),
  service: described(v.string(), "name of its service that depends on it; empty: the whole host"),
  causehostid: described(v.number(), "id of the host that it depends on"),
  causehost: described(v.string(), "name of that host"),
  causeservice: described(v.string(), "name of the service that it depends on; empty: the host itself"),
});

export const listReply = v.object({
  totalRecords,
  records: described(v.array(record), "dependencies, by host and service"),
});
