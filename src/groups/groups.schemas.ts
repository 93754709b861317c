import * as v from "valibot";
import { id, text } from "../http/validate.ts";

export const name = text(1, 255);

export const memberArguments = v.object({ id, hostid: v.pipe(v.array(id), v.minLength(1)) });
export type Members = v.InferOutput<typeof memberArguments>;

export const listReply = v.object({
  hosts: v.array(v.object({ id: v.number(), name: v.string() })),
  groups: v.array(v.object({ id: v.number(), name: v.string(), hosts: v.array(v.number()) })),
});
