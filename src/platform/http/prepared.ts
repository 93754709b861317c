import type { AppContext } from "./context.ts";

/** A reply that was serialized on another thread, to spare the message thread, and is ready to send. */
export class PreparedReply<T = unknown> {
  constructor(
    readonly body: Uint8Array<ArrayBuffer>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** The parsed JSON, for code that has to modify it. */
  get value(): T {
    return JSON.parse(new TextDecoder().decode(this.body));
  }

  send(c: AppContext): Response {
    return c.body(this.body, 200, this.headers);
  }
}
