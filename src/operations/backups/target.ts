/** Where backups are stored. */

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
