import { ApiError, errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import type { Log } from "../log.ts";
import type { Db } from "../storage/open.ts";
import { WorkerClient, type WorkerOptions } from "../workers/worker-client.ts";
import type { QueryReply, QueryRequest } from "./protocol.ts";
import { type AsyncQueries, type Queries, queriesBy } from "./queries.ts";
import { newestIds } from "./size.repository.ts";

/** Most queries in progress, including the running one. */
const MAX_WAITING = 64;
/** Time limit of a query, milliseconds; its caller then gets an error. */
const TIME_LIMIT_MS = 30_000;
/** The worker is terminated after this many milliseconds without a query, to free its memory. */
const IDLE_MS = 180_000;

/** Below these numbers of hosts and events every query is short, and a worker would only cost memory. */
const SMALL = { host: 100, event: 10_000 };

/** Whether the database is too small to justify a worker. */
export function isSmall(db: Db): boolean {
  const { host, event } = newestIds(db);
  return host <= SMALL.host && event <= SMALL.event;
}

export interface QueryWorkerOptions<Q extends Queries>
  extends Pick<WorkerOptions, "start" | "log">,
    Partial<Pick<WorkerOptions, "idleMs" | "timeLimitMs">> {
  queries: Q;
  /** Runs queries on this thread, for databases too small for a worker. */
  inline: AsyncQueries<Q>;
  isSmall: () => boolean;
}

/** A reply ready to send. @throws ApiError as the query did, 503 when the database failed */
function resultOf(reply: QueryReply, log: Log): PreparedReply {
  if (reply.kind === "done") return new PreparedReply(reply.body, reply.headers);
  const { kind, message } = reply;
  if (kind === "refused") throw new ApiError(reply.status, reply.code, message);
  if (kind === "failed") throw new Error(message);
  log.warn("query failed", { reason: message });
  throw errors.busy(`The database cannot be used: ${message}`);
}

/** Runs long queries on a worker thread. A query sees all that was acknowledged before it was sent. */
export class QueryWorker<Q extends Queries> extends WorkerClient<QueryRequest, QueryReply> {
  readonly queries: AsyncQueries<Q>;

  constructor({ queries, inline, isSmall, ...options }: QueryWorkerOptions<Q>) {
    const { log, timeLimitMs = TIME_LIMIT_MS } = options;
    super({
      ...{ name: "query worker", maxWaiting: MAX_WAITING, timeLimitMs, idleMs: IDLE_MS, ...options },
      reasons: {
        tooMany: "Too many long queries are waiting",
        tooSlow: "The answer takes too long: ask for less",
        failed: "The query could not be run",
      },
    });
    this.queries = queriesBy(queries, async (name, args) => {
      if (isSmall()) return inline[name](...(args as Parameters<Q[typeof name]>));
      return resultOf(await this.request({ name, args, until: Date.now() + timeLimitMs }), log);
    });
  }
}
