/** Runs `work` with something that is closed afterwards, whatever happens. */
export function closing<U extends { close(): void }, T>(used: U, work: (used: U) => T): T {
  try {
    return work(used);
  } finally {
    used.close();
  }
}
