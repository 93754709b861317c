import { ApiError, errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import { callerOfTurn } from "../http/turn.ts";
import type { Log } from "../log.ts";
import { WorkerClient, type WorkerOptions } from "../workers/worker-client.ts";
import type { QueryReply, QueryRequest } from "./protocol.ts";
import { type AsyncQueries, type Queries, queriesBy } from "./queries.ts";
import { Turns } from "./turns.ts";

/** Default number of threads that run queries: one slow query leaves the other thread for everyone else. */
const WORKERS = 2;
/** The most queries that wait, of all callers together. */
const MAX_WAITING = 64;
/** How long a caller waits for a reply by default, milliseconds. */
const TIME_LIMIT_MS = 30_000;
/** A worker is terminated after this many milliseconds without a query, to free its memory. */
const IDLE_MS = 60_000;

const REASONS = {
  tooMany: "Too many long queries are waiting",
  tooSlow: "The answer takes too long: ask for less",
  failed: "The query could not be run",
};

export interface QueryWorkersOptions<Q extends Queries>
  extends Pick<WorkerOptions, "start" | "log">,
    Partial<Pick<WorkerOptions, "idleMs">> {
  queries: Q;
  workers?: number;
  timeLimitMs?: number;
}

interface Query extends QueryRequest {
  resolve: (reply: QueryReply) => void;
  reject: (error: unknown) => void;
  /** The worker that runs it; undefined while it waits. */
  worker?: WorkerClient<QueryRequest, QueryReply>;
}

/** Buffers of bytes among the arguments, which are handed over: a copy of a large file would take as much memory again. */
function buffersOf(args: readonly unknown[]): ArrayBuffer[] {
  return args.flatMap((arg) => {
    if (!(arg instanceof Uint8Array) || !(arg.buffer instanceof ArrayBuffer)) return [];
    return arg.byteLength === arg.buffer.byteLength ? arg.buffer : [];
  });
}

/** A reply ready to send. @throws ApiError as the query did, 503 when the database failed */
function resultOf(reply: QueryReply, log: Log): PreparedReply {
  if (reply.kind === "done") return new PreparedReply(reply.body, reply.headers);
  const { kind, message } = reply;
  if (kind === "refused") throw new ApiError(reply.status, reply.code, message, reply.headers);
  if (kind === "failed") throw new Error(message);
  log.warn("query failed", { reason: message });
  throw errors.busy(`The database cannot be used: ${message}`);
}

/**
 * Runs queries on threads that start on demand and end when idle. A query sees all that was acknowledged before it was
 * sent. Callers take turns: see `Turns`.
 */
export class QueryWorkers<Q extends Queries> {
  readonly queries: AsyncQueries<Q>;
  readonly #workers: readonly WorkerClient<QueryRequest, QueryReply>[];
  readonly #busy = new Set<WorkerClient<QueryRequest, QueryReply>>();
  readonly #turns = new Turns<Query>(MAX_WAITING);
  /** Workers whose threads were too slow, until those have ended. */
  readonly #ending = new Map<WorkerClient<QueryRequest, QueryReply>, Promise<void>>();
  readonly #timeLimitMs: number;
  readonly #log: Log;
  #isStopped = false;

  constructor({
    queries,
    workers = WORKERS,
    timeLimitMs = TIME_LIMIT_MS,
    ...options
  }: QueryWorkersOptions<Q>) {
    this.#timeLimitMs = timeLimitMs;
    this.#log = options.log;
    const client = { name: "query worker", maxWaiting: 1, timeLimitMs: null, idleMs: IDLE_MS, ...options };
    this.#workers = Array.from({ length: workers }, () => new WorkerClient({ ...client, reasons: REASONS }));
    this.queries = queriesBy(queries, async (turn, name, args) =>
      resultOf(
        await this.#answer(callerOfTurn(turn), {
          name,
          args,
          at: typeof turn === "object" ? turn.at : undefined,
        }),
        options.log,
      ),
    );
  }

  /** Number of threads. */
  get running(): number {
    return this.#workers.filter(({ isRunning }) => isRunning).length;
  }

  /** Ends the threads, which close their databases. Queries in progress, and those that wait, fail with 503. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  /** @throws ApiError 503 if too many queries wait, or at the time limit */
  #answer(turn: string, request: QueryRequest): Promise<QueryReply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#turns.remove(turn, query);
        reject(errors.busy(REASONS.tooSlow));
        if (query.worker) this.#replace(query.worker, request.name);
      }, this.#timeLimitMs);
      const query: Query = {
        ...request,
        resolve: (reply) => {
          clearTimeout(timer);
          resolve(reply);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#turns.add(turn, query)?.reject(errors.busy(REASONS.tooMany));
      this.#begin();
    });
  }

  /** Gives waiting queries to free workers, preferring those that are already started. */
  #begin(): void {
    for (;;) {
      const free = this.#workers.filter((worker) => !this.#busy.has(worker));
      const worker = free.find(({ isRunning }) => isRunning) ?? free[0];
      const next = worker && this.#turns.begin();
      if (!next) return;
      if (this.#isStopped) {
        next.item.reject(errors.busy("Muster is stopping"));
        this.#turns.end(next.turn);
        continue;
      }
      this.#busy.add(worker);
      void this.#run(worker, next.turn, next.item);
    }
  }

  async #run(worker: WorkerClient<QueryRequest, QueryReply>, turn: string, query: Query): Promise<void> {
    const { name, args, at, resolve, reject } = query;
    query.worker = worker;
    try {
      resolve(await worker.request({ name, args, at }, buffersOf(args)));
    } catch (error) {
      reject(error);
    } finally {
      this.#busy.delete(worker);
      const ending = this.#ending.get(worker);
      if (ending) {
        // The caller keeps the turn until the thread has ended; others get the next thread at once.
        this.#begin();
        await ending;
      }
      this.#turns.end(turn);
      this.#begin();
    }
  }

  /** Ends the thread of a worker; its next query starts another. */
  #replace(worker: WorkerClient<QueryRequest, QueryReply>, name: string): void {
    this.#log.warn("a query took too long and was stopped", { query: name });
    const ending = worker.stop().finally(() => this.#ending.delete(worker));
    this.#ending.set(worker, ending);
  }
}
