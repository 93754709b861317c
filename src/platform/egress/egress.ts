/** The only door through which Muster itself calls out to the world for people: addresses are checked here. */
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";

/** Of an answer no more than this many bytes are kept. */
export const MAX_ANSWER_BYTES = 4096;

/** An answer over HTTP. */
export interface EgressResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** At most MAX_ANSWER_BYTES of it. */
  body: string;
}

export interface EgressRequest {
  method: "GET" | "POST" | "PUT";
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** An address could not be asked. The message names the host, never a path, as those may be secret. */
export class EgressError extends Error {
  /** @param certain whether nothing can have arrived: false after everything was sent and no answer came */
  constructor(
    message: string,
    readonly certain: boolean,
    /** Whether trying again is no use: the address itself is refused. */
    readonly final: boolean,
  ) {
    super(message);
  }
}

export interface Egress {
  /** One request; redirects are answers like any other. @throws EgressError */
  request(url: string, request: EgressRequest): Promise<EgressResponse>;
  /**
   * A connection for protocols other than HTTP, to an address of the host that was checked; over TLS with the certificate
   * verified, if asked. The caller ends it. @throws EgressError
   */
  connect(hostname: string, port: number, tls: boolean): Promise<Socket>;
  /** What a connection that turns to TLS later has to be given, besides the host's name. */
  readonly trust: Pick<ConnectionOptions, "ca">;
  /** Unix seconds. */
  now(): number;
  /** Whether programs on this machine may be started. */
  readonly exec: boolean;
  /** Milliseconds that one attempt may take. */
  readonly timeLimit: number;
}
