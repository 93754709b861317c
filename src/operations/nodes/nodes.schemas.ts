import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";

const node = v.object({
  name: described(v.string(), "name of the node"),
  version: described(v.string(), "its version of Muster"),
  active: described(v.number(), "1 for the node that serves, 0 for a standby or one that is gone"),
  lastseen: described(v.number(), "when it last reported that it runs, unix timestamp"),
});

export const nodesReply = v.object({
  records: described(v.array(node), "nodes by name; none when the database is a file"),
});
