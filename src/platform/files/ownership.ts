import { chownSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Gives a file created by root the owner of its folder. Commands are often run by root, the service rarely. */
export function shareOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  const file = statSync(path);
  if (file.uid !== uid || file.gid !== gid) chownSync(path, uid, gid);
}
