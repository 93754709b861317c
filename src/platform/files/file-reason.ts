import { codeOf, reasonOf } from "../text.ts";

/** What is wrong with a file, by the code of the system's error. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "the system does not allow it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
  ENOSPC: "no space is left on the disk",
  EROFS: "its file system is read-only",
};

/** Why a file cannot be used, without its path, for a message that names it. The code is kept for searches. */
export function fileReason(error: unknown): string {
  const words = WORDS[codeOf(error)];
  return words === undefined ? reasonOf(error) : `${words} (${codeOf(error)})`;
}

/** Why something failed, with the path if the system names a file. */
export function reasonWithFile(error: unknown): string {
  const path = error instanceof Error && "path" in error && WORDS[codeOf(error)] ? error.path : undefined;
  return typeof path === "string" ? `${path}: ${fileReason(error)}` : reasonOf(error);
}
