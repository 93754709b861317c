/** The network around Muster: recipients that accept messages, fail, or do not answer. */
import { systemTimer } from "../../src/platform/clock.ts";
import {
  type Egress,
  EgressError,
  type EgressRequest,
  type EgressResponse,
} from "../../src/platform/egress/egress.ts";

/** Seconds that Muster waits for an answer. */
const TIME_LIMIT = 10;

export type Mood = "well" | "failing" | "lost answers" | "stalled";

/** A message that a recipient has received. */
export interface Arrival {
  recipient: string;
  at: number;
  body: { id: string; kind: string; rule: string; date: number; events: { id: number; key: string }[] };
}

/** Fields that identify a message of a recipient. */
const keyOfMessage = (recipient: string, kind: string, rule: string, date: number) =>
  [recipient, kind, rule, date].join(" ");

interface Pending {
  endsAt: number;
  end: () => void;
}

export class Network {
  readonly arrivals: Arrival[] = [];
  readonly moods = new Map<string, Mood>();
  /** By message, when the last attempt to send it failed, unix seconds. */
  readonly failedAt = new Map<string, number>();
  #isBusy = false;
  readonly #pending = new Set<Pending>();

  constructor(private readonly now: () => number) {}

  /** Whether anything was sent since the last call. */
  isBusy(): boolean {
    const wasBusy = this.#isBusy;
    this.#isBusy = false;
    return wasBusy;
  }

  /** Ends requests that have waited too long. */
  tick(): void {
    for (const request of [...this.#pending]) {
      if (request.endsAt > this.now()) continue;
      this.#pending.delete(request);
      this.#isBusy = true;
      request.end();
    }
  }

  /** The outgoing connections of one process. */
  egress(): Egress & { cut(): void } {
    const { now } = this;
    let isCut = false;
    return {
      request: (url, request) => {
        // A killed server sends nothing.
        if (isCut) return new Promise(() => undefined);
        return this.#request(new URL(url).hostname, request, () => isCut);
      },
      connect: () => Promise.reject(new EgressError("there is nobody", { certain: true, final: false })),
      trust: {},
      now,
      exec: false,
      timeLimit: TIME_LIMIT * 1000,
      // Only channel kinds that are not simulated have timers of their own.
      startTimer: systemTimer,
      cut: () => {
        isCut = true;
      },
    };
  }

  /** @param isCut whether the sending server was killed meanwhile, so that it never learns of a failure */
  #request(recipient: string, { body }: EgressRequest, isCut: () => boolean): Promise<EgressResponse> {
    this.#isBusy = true;
    const mood = this.moods.get(recipient) ?? "well";
    const message = JSON.parse(String(body)) as Arrival["body"];
    const fails = () => {
      if (isCut()) return;
      this.failedAt.set(keyOfMessage(recipient, message.kind, message.rule, message.date), this.now());
    };
    const answer = (status: number) =>
      Promise.resolve({ status, headers: {}, body: "", bytes: new Uint8Array() });
    if (mood === "failing") {
      fails();
      return answer(503);
    }
    if (mood === "stalled") return this.#silence(fails);
    this.arrivals.push({ recipient, at: this.now(), body: message });
    return mood === "lost answers" ? this.#silence(fails) : answer(200);
  }

  /** @param onEnd called when nobody waits for the answer any more */
  #silence(onEnd: () => void): Promise<EgressResponse> {
    return new Promise((_resolve, reject) => {
      const end = () => {
        onEnd();
        reject(new EgressError("No answer", { certain: false, final: false }));
      };
      this.#pending.add({ endsAt: this.now() + TIME_LIMIT, end });
    });
  }
}
