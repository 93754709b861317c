/** The cache of hosts between messages, as seen by code that changes hosts in other ways. */
export interface KnownHosts {
  /** Drops a host from the cache, so that its next message reads the database. */
  forget(hostId: number): void;
  /** Drops every host from the cache. */
  forgetAll(): void;
}
