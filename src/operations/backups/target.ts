/** Where backups are stored. */
import { resolve } from "node:path";

export interface BucketOptions {
  /** URL of the service, as in https://s3.eu-central-1.amazonaws.com */
  endpoint: string;
  region: string;
  bucket: string;
  /** What the names of objects begin with: "" or a path that ends with a slash. */
  prefix: string;
  keyId: string;
  secret: string;
}

export type BackupTarget = { kind: "folder"; path: string } | ({ kind: "bucket" } & BucketOptions);

/** Names a target for people, and in the records of its backups. */
export function descriptionOf(target: BackupTarget): string {
  return target.kind === "folder" ? target.path : `s3://${target.bucket}/${target.prefix}`;
}

/** The place of a setting or an argument. */
export type BackupPlace =
  | { kind: "folder"; path: string }
  | { kind: "bucket"; bucket: string; prefix: string };

/** Completes "PLACE must be a folder, or ...". */
export const BUCKET_RULE =
  "s3://BUCKET/PATH, with 3 to 63 of a-z, 0-9, . and - in BUCKET, and no white space, double slash, \\, ? or # in PATH";

/** Reads a place: the absolute path of a folder, or s3://bucket/prefix. Null if it is neither. */
export function placeOf(text: string): BackupPlace | null {
  // Records name the place, so each folder has one name, with a slash at its end or without.
  if (text.startsWith("/")) return { kind: "folder", path: resolve(text) };
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket === undefined || /[\s\\?#]|\/\/|^\//.test(path)) return null;
  return { kind: "bucket", bucket, prefix: path === "" ? "" : `${path.replace(/\/+$/, "")}/` };
}
