/** The egress client. Requests to addresses that users configure are sent only through it, since it checks them. */
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { StartTimer } from "../clock.ts";

/** The most bytes of a response body that are kept, unless a request allows more. */
export const MAX_ANSWER_BYTES = 4096;

export interface EgressResponse {
  status: number;
  /** Names are in lower case. */
  headers: Readonly<Record<string, string>>;
  /** What was kept of the body, as text. */
  body: string;
  /** What was kept of the body. */
  bytes: Uint8Array;
}

export interface EgressRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** The most bytes of the response body that are kept; MAX_ANSWER_BYTES by default. */
  maxAnswerBytes?: number;
}

/** A request failed. The message names the host but never the path, which may be secret. */
export class EgressError extends Error {
  /** Whether the request certainly did not arrive; false if all was sent but not answered. */
  readonly certain: boolean;
  /** Whether retrying is pointless because the address itself is not allowed. */
  readonly final: boolean;

  constructor(message: string, { certain, final }: Pick<EgressError, "certain" | "final">) {
    super(message);
    this.certain = certain;
    this.final = final;
  }
}

export interface Egress {
  /** Sends one request. Redirects are not followed. @throws EgressError */
  request(url: string, request: EgressRequest): Promise<EgressResponse>;
  /**
   * Opens a connection for protocols other than HTTP, to a checked address of the host; with `tls`, over TLS
   * with the certificate verified. The caller closes it. @throws EgressError
   */
  connect(hostname: string, port: number, tls: boolean): Promise<Socket>;
  /** TLS options, besides the host's name, for a connection that is upgraded to TLS later. */
  readonly trust: Pick<ConnectionOptions, "ca">;
  /** Unix seconds. */
  now(): number;
  /** Whether channels may start programs on this machine. */
  readonly exec: boolean;
  /** Time limit of one attempt, milliseconds. */
  readonly timeLimit: number;
  /** Starts the timers of attempts. */
  readonly startTimer: StartTimer;
}
