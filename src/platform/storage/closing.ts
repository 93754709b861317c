/** Runs `work` with a resource that is closed afterwards, even after an error. */
export function closing<U extends { close(): void }, T>(resource: U, work: (resource: U) => T): T {
  try {
    return work(resource);
  } finally {
    resource.close();
  }
}
