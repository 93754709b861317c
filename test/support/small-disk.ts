/** File systems of their own, which tests fill. */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface SmallDisk extends Disposable {
  /** Leaves no byte, whatever others write meanwhile. */
  fill(): void;
  /** Frees what `fill` took. */
  free(): void;
}

/** Mounts a file system of so many KiB; null where none may be mounted. @param path a folder, made if it is missing */
export function mountDisk(path: string, size: number): SmallDisk | null {
  mkdirSync(path, { recursive: true });
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}k`, "tmpfs", path], {
    stderr: "ignore",
  });
  if (exitCode !== 0) return null;
  const ballast = join(path, "ballast");
  return {
    fill: () => fillDisk(ballast),
    free: () => rmSync(ballast),
    [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]),
  };
}

function fillDisk(path: string): void {
  const page = Buffer.alloc(4096);
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, page);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
