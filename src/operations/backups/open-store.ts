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
export function openStore(target: BackupTarget, { egress, sleep, rate }: StoreSurroundings): BackupStore {
  const pace = new Pace(rate, sleep);
  if (target.kind === "folder") return new FolderStore(target.path, pace);
  return new BucketStore(new BucketClient(target, egress, sleep), target.prefix, pace);
}
