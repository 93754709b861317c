/** Marks on the fields of a resource, from which its arguments, its description and the export file follow. */
import * as v from "valibot";
import { id } from "../http/validate.ts";

/** What a field may refer to. In the API a reference is an id (of users, the login name), in the export file a name. */
export type ReferenceKind = "host" | "hostgroup" | "user" | "channel" | "schedule";

/** Names of things that are referred to, for messages. */
export const KIND_NAMES: Readonly<Record<ReferenceKind, string>> = {
  host: "host",
  hostgroup: "host group",
  user: "user",
  channel: "channel",
  schedule: "schedule",
};

/** The id of another object. */
export function reference(kind: ReferenceKind) {
  return v.pipe(id, v.metadata({ reference: kind }));
}

export function referenceOf(schema: v.GenericSchema): ReferenceKind | undefined {
  const { reference } = v.getMetadata(schema);
  return typeof reference === "string" ? (reference as ReferenceKind) : undefined;
}

/** A field that Muster sets. An update accepts it back only unchanged. */
export function readOnly<const T extends v.GenericSchema>(schema: T) {
  return v.pipe(schema, v.metadata({ readOnly: true }));
}
