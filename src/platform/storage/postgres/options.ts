/** How to reach a PostgreSQL server, as plain data that can be sent to another thread. */

/** As libpq names them. */
export const TLS_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

/** What `connectMs` is unless the address says otherwise. */
export const CONNECT_MS = 4000;

export interface PostgresHost {
  /** Name or address, or the folder of a unix socket. */
  host: string;
  port: number;
}

export interface PostgresOptions {
  /** Of these, the one that accepts writes is used. */
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
  /** Whether statements look up rows by an index, even where the server takes another way for a better one. */
  looksUp?: true;
}
