/**
 * A process of its own that posts like agents, and prints its result as one line of JSON.
 * Argument: a `LoadPlan` as JSON. On SIGTERM it starts no further message and ends as it does at the end of its time.
 */
import type { Socket } from "bun";
import { Latencies } from "./latencies.ts";
import type { ClosedLoop, LoadPlan, LoadResult, OpenLoop } from "./load.ts";
import { type AgentEvent, RequestMaker } from "./messages.ts";
import { type Condition, conditionOf, type Schedule, turn } from "./schedule.ts";

/** Agents give up after this, milliseconds. */
const PATIENCE_MS = 5000;
/** Interval of checks for messages that are due, milliseconds. */
const TICK_MS = 4;
const STATUS_AT = "HTTP/1.1 ".length;

/** One message under way. */
interface Post {
  agent: number;
  isFailing: boolean;
  event: AgentEvent | null;
  /** When it was due and when it was sent, milliseconds. */
  dueAt: number;
  sentAt: number;
  isOver: boolean;
  socket: Socket<Post> | null;
  /** Bytes that the socket did not accept at once. */
  rest: Buffer | null;
  done: () => void;
}

const nothing = () => undefined;

class AgentFleet {
  readonly #counts = { accepted: 0, busy: 0, failed: 0, unanswered: 0, events: 0, eventsRefused: 0 };
  readonly #latencies = new Latencies();
  readonly #lateness = new Latencies();
  readonly #requests: RequestMaker;
  /** In the order in which they were sent. */
  readonly #underWay = new Set<Post>();
  /** Events that were not accepted. An agent sends them again with its next messages. */
  readonly #kept = new Map<number, AgentEvent[]>();
  #isStopped = false;
  /** Differs from the counts of an earlier run in the same second. */
  #eventNumber = Date.now() % 1_000_000;

  constructor(private readonly plan: LoadPlan) {
    this.#requests = new RequestMaker(plan);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async run(): Promise<LoadResult> {
    const { loop } = this.plan;
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const sweeping = setInterval(() => this.#sweep(), 100);
    await (loop.mode === "closed" ? this.#closed(loop, startedAt) : this.#open(loop, startedAt));
    clearInterval(sweeping);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(before);
    return {
      ...this.#counts,
      rate: this.#counts.accepted / seconds,
      p50: this.#latencies.percentile(0.5),
      p99: this.#latencies.percentile(0.99),
      max: this.#latencies.max,
      latenessP99: this.#lateness.percentile(0.99),
      seconds,
      cpu: (user + system) / 1e6,
      residentMb: process.memoryUsage.rss() / 1e6,
    };
  }

  async #closed({ connections, keepAlive = false }: ClosedLoop, startedAt: number): Promise<void> {
    const { agents, first, seconds, cycle } = this.plan;
    const end = seconds === null ? Number.POSITIVE_INFINITY : startedAt + seconds * 1000;
    const count = seconds === null ? agents : Number.POSITIVE_INFINITY;
    let next = 0;
    const worker = async () => {
      let socket: Socket<Post> | null = null;
      while (!this.#isStopped && performance.now() < end && next < count) {
        const nth = next++;
        const agent = first + (nth % agents);
        for (const [isFailing, event] of this.#messagesOf(agent, cycle + Math.floor(nth / agents))) {
          const post: Post = await new Promise((resolve) => {
            const made = this.#post(agent, performance.now(), isFailing, event, socket, () => resolve(made));
          });
          socket = keepAlive && post.socket ? post.socket : null;
          if (!keepAlive) post.socket?.end();
        }
      }
      socket?.end();
    };
    await Promise.all(Array.from({ length: connections }, worker));
  }

  async #open({ interval, spread = interval }: OpenLoop, startedAt: number): Promise<void> {
    const { agents, first, seconds, cycle } = this.plan;
    const schedule: Schedule = { agents, poll: interval, spread };
    const end = seconds === null ? interval * 1000 : seconds * 1000;
    let nth = 0;
    for (let next = turn(schedule, 0); !this.#isStopped && next.at < end; ) {
      const now = performance.now();
      for (; next.at < end && startedAt + next.at <= now; next = turn(schedule, ++nth)) {
        const dueAt = startedAt + next.at;
        const agent = first + next.agent;
        for (const [isFailing, event] of this.#messagesOf(agent, cycle + next.cycle)) {
          const post = this.#post(agent, dueAt, isFailing, event, null, () => post.socket?.end());
          this.#lateness.add(post.sentAt - dueAt);
        }
      }
      await Bun.sleep(TICK_MS);
    }
    while (this.#underWay.size > 0) await Bun.sleep(TICK_MS);
  }

  /** What an agent sends in a cycle: each event in a message of its own, then its status. */
  *#messagesOf(agent: number, cycle: number): Generator<[boolean, AgentEvent | null]> {
    const { state } = this.plan;
    if (state === "eventful") {
      const isError = cycle % 2 === 0;
      yield [isError, { at: unixNow(), number: this.#eventNumber++, isError }];
      return;
    }
    const condition = this.#conditionOf(agent, cycle);
    const isFailing = condition === "fails" || condition === "failing";
    const events = this.#kept.get(agent) ?? [];
    this.#kept.delete(agent);
    if (condition === "fails" || condition === "recovers")
      events.push({ at: unixNow(), number: this.#eventNumber++, isError: isFailing });
    for (const event of events) yield [isFailing, event];
    yield [isFailing, null];
  }

  #conditionOf(agent: number, cycle: number): Condition {
    const { state } = this.plan;
    if (state === "mixed") return conditionOf(agent, cycle);
    if (state === "failing") return cycle === 0 ? "fails" : "failing";
    return "fine";
  }

  /** @param socket an open one, if any */
  #post(
    agent: number,
    dueAt: number,
    isFailing: boolean,
    event: AgentEvent | null,
    socket: Socket<Post> | null,
    done: () => void,
  ): Post {
    const sentAt = performance.now();
    const { addresses, port } = this.plan;
    const post: Post = { agent, isFailing, event, dueAt, sentAt, isOver: false, socket, rest: null, done };
    this.#underWay.add(post);
    if (socket) {
      socket.data = post;
      this.#send(socket);
    } else
      Bun.connect({
        hostname: addresses[agent % addresses.length] ?? "127.0.0.1",
        port,
        data: post,
        socket: this.#handlers,
      }).catch(() => this.#finish(post, "failed"));
    return post;
  }

  #send(socket: Socket<Post>): void {
    const { data: post } = socket;
    const request = post.rest ?? this.#requests.make(post.agent, unixNow(), post.isFailing, post.event);
    const written = socket.write(request);
    // The next request reuses the memory of this one.
    post.rest = written < request.byteLength ? Buffer.from(request.subarray(Math.max(0, written))) : null;
  }

  readonly #handlers = {
    open: (socket: Socket<Post>) => {
      socket.data.socket = socket;
      // Nobody waits for it any more.
      if (socket.data.isOver) socket.end();
      else this.#send(socket);
    },
    drain: (socket: Socket<Post>) => {
      if (socket.data.rest) this.#send(socket);
    },
    /** Does not wait for the end of an answer, since an agent reads only its first line. */
    data: (socket: Socket<Post>, reply: Buffer) => {
      const status = reply.toString("latin1", STATUS_AT, STATUS_AT + 3);
      this.#finish(socket.data, status === "200" ? "accepted" : status === "503" ? "busy" : "failed");
    },
    close: (socket: Socket<Post>) => {
      socket.data.socket = null;
      this.#finish(socket.data, "failed");
    },
    error: (socket: Socket<Post>) => this.#finish(socket.data, "failed"),
    connectError: nothing,
  };

  #finish(post: Post, outcome: "accepted" | "busy" | "failed" | "unanswered"): void {
    if (post.isOver) return;
    post.isOver = true;
    this.#underWay.delete(post);
    this.#counts[outcome]++;
    this.#latencies.add(performance.now() - post.dueAt);
    if (post.event) this.#settle(post.agent, post.event, outcome === "accepted");
    post.done();
  }

  #settle(agent: number, event: AgentEvent, isAccepted: boolean): void {
    if (isAccepted) {
      this.#counts.events++;
      return;
    }
    this.#counts.eventsRefused++;
    const kept = this.#kept.get(agent) ?? [];
    kept.push(event);
    this.#kept.set(agent, kept);
  }

  /** Agents give up after some time. */
  #sweep(): void {
    const sentBefore = performance.now() - PATIENCE_MS;
    for (const post of this.#underWay) {
      if (post.sentAt > sentBefore) return;
      this.#finish(post, "unanswered");
    }
  }
}

const unixNow = () => Math.floor(Date.now() / 1000);

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? "") as LoadPlan;
  const fleet = new AgentFleet(plan);
  process.once("SIGTERM", () => fleet.stop());
  console.log(JSON.stringify(await fleet.run()));
}
