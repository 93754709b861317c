import type { AppContext } from "./context.ts";

/** A reply that was written elsewhere, ready to be sent: a large one is not written on the thread that takes messages. */
export class PreparedReply {
  constructor(
    readonly body: Uint8Array<ArrayBuffer>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** What the JSON says, for those who have to change it. */
  get value(): unknown {
    return JSON.parse(new TextDecoder().decode(this.body));
  }

  send(c: AppContext): Response {
    return c.body(this.body, 200, this.headers);
  }
}
