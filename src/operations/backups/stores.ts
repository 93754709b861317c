import type { Egress } from "../../platform/egress/egress.ts";
import { BucketClient } from "./bucket.client.ts";
import { BucketStore } from "./bucket-store.ts";
import { FolderStore } from "./folder-store.ts";
import { Pace } from "./pace.ts";
import type { BackupStore } from "./store.ts";
import type { BackupTarget } from "./target.ts";

export interface StoreSurroundings {
  egress: Pick<Egress, "request">;
  sleep(milliseconds: number): Promise<void>;
  /** Bytes a second; 0: unlimited. */
  rate: number;
}

/** The store that a target names. */
export function storeAt(target: BackupTarget, { egress, sleep, rate }: StoreSurroundings): BackupStore {
  const pace = new Pace(rate, sleep);
  if (target.kind === "folder") return new FolderStore(target.path, pace);
  return new BucketStore(new BucketClient(target, egress, sleep), target.prefix, pace);
}

/** The place of a setting or an argument. */
export type Place = { kind: "folder"; path: string } | { kind: "bucket"; bucket: string; prefix: string };

/** Reads a place: the absolute path of a folder, or s3://bucket/prefix. Null if it is neither. */
export function placeOf(text: string): Place | null {
  if (text.startsWith("/")) return { kind: "folder", path: text };
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket === undefined || /[\s\\?#]|\/\/|^\//.test(path)) return null;
  return { kind: "bucket", bucket, prefix: path === "" ? "" : `${path.replace(/\/+$/, "")}/` };
}
