/** Runs `work` with a resource that is closed afterwards, even after an error. */
export function closing<U extends { close(): void }, T>(used: U, work: (used: U) => T): T {
  try {
    return work(used);
  } finally {
    used.close();
  }
}
