/** How to reach a PostgreSQL server, as plain data that can be sent to another thread. */

/** As libpq names them. */
export const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

/** The value of `connectMs` unless the address sets it. */
export const CONNECT_MS = 4000;

export interface PostgresHost {
  /** Name or address, or the folder of a unix socket. */
  host: string;
  port: number;
}

export interface PostgresOptions {
  /** The one among these that accepts writes is used. */
  hosts: readonly PostgresHost[];
  database: string;
  user: string;
  password: string | null;
  tls: { mode: TlsMode; ca: string | null; cert: string | null; key: string | null };
  applicationName: string;
  /** Time limit of an attempt to connect to one host and prepare the session there, milliseconds. */
  connectMs: number;
  /** Whether a connection ends earlier ones of the same application name. */
  endsEarlier?: true;
  /** Whether statements find rows by an index, even where the server prefers another plan. */
  looksUp?: true;
  /** Whether its transactions may stand still for any time, as those of commands and of backups do. */
  mayPause?: true;
}
