/** What remembers hosts between messages, as those see it who change a host by other ways. */
export interface KnownHosts {
  /** Drops what is remembered of a host, so that its next message reads the database. */
  forget(hostId: number): void;
  /** Drops what is remembered of every host. */
  forgetAll(): void;
}
