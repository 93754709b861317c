/** Marks on the fields of a resource. Arguments, the API description and the export file follow from them. */
import * as v from "valibot";
import { id, text } from "../http/validate.ts";

/** What a field may refer to. In the API a reference is an id (of users, the login name), in the export file a name. */
export type ReferenceKind =
  | "host"
  | "hostgroup"
  | "service"
  | "servicename"
  | "servicegroup"
  | "user"
  | "channel"
  | "schedule"
  | "rule";

/** Names of the kinds of objects, for messages. */
export const KIND_NAMES: Readonly<Record<ReferenceKind, string>> = {
  host: "host",
  hostgroup: "host group",
  service: "service",
  servicename: "name of a service",
  servicegroup: "service group",
  user: "user",
  channel: "channel",
  schedule: "schedule",
  rule: "rule",
};

function marked<const T extends v.GenericSchema>(schema: T, kind: ReferenceKind) {
  return v.pipe(schema, v.metadata({ reference: kind }));
}

const loginName = text(1, 255);

/** The id of another object, or the login name of a user. */
export function reference(kind: "user"): ReturnType<typeof marked<typeof loginName>>;
export function reference(kind: Exclude<ReferenceKind, "user">): ReturnType<typeof marked<typeof id>>;
export function reference(kind: ReferenceKind) {
  return marked(kind === "user" ? loginName : id, kind);
}

/** What the field refers to; undefined if it is no reference. Schemas within this one are not searched. */
export function referenceOf(schema: v.GenericSchema): ReferenceKind | undefined {
  const { reference } = v.getMetadata(schema);
  return typeof reference === "string" ? (reference as ReferenceKind) : undefined;
}

/** A field that Muster sets. An update accepts it back only unchanged. */
export function readOnly<const T extends v.GenericSchema>(schema: T) {
  return v.pipe(schema, v.metadata({ readOnly: true }));
}
