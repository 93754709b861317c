/** A thread that answers when the test says so. */
export class HeldWorker extends EventTarget {
  static readonly started: HeldWorker[] = [];
  /** Names of the queries to answer. */
  readonly asked: { id: number; name: string; args: unknown[]; at?: number }[] = [];

  static start(): Worker {
    const worker = new HeldWorker();
    HeldWorker.started.push(worker);
    return worker as unknown as Worker;
  }

  postMessage(request: HeldWorker["asked"][number]): void {
    this.asked.push(request);
  }

  /** Answers the oldest request. @returns its first argument */
  answer(): unknown {
    const { id, args } = this.asked.shift() ?? { id: 0, args: [] };
    const data = { id, kind: "done", body: new TextEncoder().encode("{}"), headers: {} };
    this.dispatchEvent(new MessageEvent("message", { data }));
    return args[0];
  }

  terminate(): void {
    this.dispatchEvent(new Event("close"));
  }
}
