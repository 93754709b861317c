/** A node that does not serve: what it waits for, and how it answers requests until then. */
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.definitions.ts";
import { isDirectFromHere } from "../../platform/http/client-info.ts";
import { Listener } from "../../platform/http/listener.ts";
import type { ClusterNode } from "../../platform/storage/nodes.postgres.ts";
import { TEXT_FORMAT } from "../../publishing/metrics/metrics.ts";
import { nodeMetrics, type StandbyFigures, standbyMetrics } from "../../publishing/metrics/node-metrics.ts";

const MESSAGES = {
  standby: "Another Muster is active",
  upgrade: "This Muster brings the tables of the database to its version",
  database: "The database server cannot be reached",
} as const;
/** What the node waits for: the end of the active node, the end of its own migration, or the return of the server. */
export type StandbyState = keyof typeof MESSAGES;

/** Whether a program on this machine asks. Only such a program sees what the node knows: it cannot check tokens. */
function isFromHere({ headers, socket }: IncomingMessage): boolean {
  return isDirectFromHere(socket.remoteAddress ?? "", (name) => headers[name]);
}

/** Answers 503 to everyone, so that a balancer looks for the active node, and `/metrics` to this machine. */
export class Standby {
  #listener: Listener | null = null;
  #state: StandbyState = "standby";
  #since = 0;
  /** Why the server cannot be reached. */
  #reason: string | null = null;
  #nodes: readonly ClusterNode[] = [];
  #nodesAt: number | null = null;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** The addresses on which it listens, separated by commas; empty before the first state. */
  get addresses(): string {
    return this.#listener?.addresses.join(",") ?? "";
  }

  /**
   * Says what the node waits for from now on. Listens from the first time on.
   * @param reason why the server cannot be reached
   */
  async enter(state: StandbyState, reason: string | null = null): Promise<void> {
    if (this.#since === 0 || state !== this.#state) this.#since = this.clock.now();
    this.#state = state;
    this.#reason = reason;
    this.#listener ??= await Listener.open(this.#answer, this.config);
  }

  /** Keeps the nodes as they were just read. */
  knows(nodes: readonly ClusterNode[]): void {
    this.#nodes = nodes;
    this.#nodesAt = this.clock.now();
  }

  readonly #answer: Parameters<typeof Listener.open>[0] = (request, response) => {
    const { url, method } = request;
    const isLocal = isFromHere(request);
    if (isLocal && url === "/metrics" && method === "GET") {
      const metrics = [...nodeMetrics(this.#nodes), ...standbyMetrics(this.#figures())].join("\n");
      response.writeHead(200, { "Content-Type": TEXT_FORMAT }).end(`${metrics}\n`);
      return;
    }
    const body = JSON.stringify({ ...this.#status(), ...(isLocal && this.#details()) });
    response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "5" }).end(body);
  };

  #status() {
    return { code: this.#state, message: MESSAGES[this.#state], since: this.#since };
  }

  /** For programs on this machine: the names of nodes and servers are nobody else's business. */
  #details() {
    return {
      ...(this.#reason !== null && { reason: this.#reason }),
      ...(this.#nodesAt !== null && {
        active: this.#nodes.find(({ isActive }) => isActive)?.name ?? "",
        nodesread: this.#nodesAt,
      }),
    };
  }

  #figures(): StandbyFigures {
    return {
      state: this.#state,
      since: this.#since,
      nodesReadAt: this.#nodesAt,
      isServerReached: this.#state !== "database",
    };
  }

  /** Stops at once, since agents wait for this node. Every request was answered as soon as its headers arrived. */
  async close(): Promise<void> {
    await this.#listener?.close(0);
    this.#listener = null;
  }
}
