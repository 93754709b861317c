/** The only door through which Muster itself calls out to the world for people: addresses are checked here. */

/** An answer over HTTP. */
export interface OutletResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** At most MAX_ANSWER_BYTES of it. */
  body: string;
}

export interface OutletRequest {
  method: "GET" | "POST" | "PUT";
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** An address could not be asked. */
export class OutletError extends Error {
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

export interface Outlet {
  /** @throws OutletError */
  request(url: string, request: OutletRequest): Promise<OutletResponse>;
  /** The address to connect to for a host name, checked, for protocols other than HTTP. @throws OutletError */
  resolve(hostname: string): Promise<string>;
  /** Whether programs on this machine may be started. */
  readonly exec: boolean;
  /** Milliseconds that one attempt may take. */
  readonly timeLimit: number;
}
