/** Requests of a large fleet, each made when it is due, so that memory does not grow with the fleet. */
import { eventXml } from "../../support/agent-messages.ts";
import { agentText, FAILING_SERVICE } from "./agents.ts";
import { type Shared, share, writeGzip } from "./bodies.ts";

/**
 * Agents whose services have the same numbers: there are this many different ones. Numbers drift from message to
 * message of the same agent.
 */
const MODELS = 64;
const MAX_REQUEST = 65_536;
/** Room for the digits of the content length, which is known last. */
const LENGTH_DIGITS = 6;

export interface AgentEvent {
  /** Unix seconds; the number distinguishes events of one second. */
  at: number;
  number: number;
  isError: boolean;
}

export interface FleetMessages {
  /** Password of the collector. */
  password: string;
  /** Start of all agents, unix seconds. */
  incarnation: number;
  /** As agents report it, seconds. */
  poll: number;
}

interface Model {
  /** Length up to the end of the part that belongs to a single agent. */
  before: string;
  shared: Shared;
  madeAt: number;
  cycle: number;
}

/** Makes requests as agents send them. A request has to be sent or copied before the next is made. */
export class RequestMaker {
  readonly #buffer = Buffer.alloc(MAX_REQUEST);
  readonly #models = new Map<string, Model>();
  readonly #head: number;

  constructor(private readonly fleet: FleetMessages) {
    const credentials = Buffer.from(`monit:${fleet.password}`).toString("base64");
    const head = [
      "POST /collector HTTP/1.1",
      "Host: 127.0.0.1",
      "Content-Type: text/xml",
      "Pragma: no-cache",
      "Accept: */*",
      "User-Agent: Monit/5.33.0",
      "Content-Encoding: gzip",
      `Authorization: Basic ${credentials}`,
      "Content-Length: ",
    ].join("\r\n");
    this.#head = this.#buffer.write(head, "latin1");
  }

  /** @param now unix seconds */
  make(agent: number, now: number, failing: boolean, event: AgentEvent | null): Buffer {
    const { before, shared } = this.#model(agent, now, failing);
    const ofHost = before
      .replace(`bench-agent-${agent % MODELS}`, `bench-agent-${agent}`)
      .replaceAll(`host-${agent % MODELS}`, `host-${agent}`);
    const after = `${event ? eventText(event) : ""}</monit>`;
    const bodyAt = this.#head + LENGTH_DIGITS + 4;
    const end = writeGzip(this.#buffer, bodyAt, ofHost, shared, after);
    const length = String(end - bodyAt).padStart(LENGTH_DIGITS, "0");
    this.#buffer.write(`${length}\r\n\r\n`, this.#head, "latin1");
    return this.#buffer.subarray(0, end);
  }

  /** Its numbers are at most a second old. */
  #model(agent: number, now: number, failing: boolean): Model {
    const nth = agent % MODELS;
    const key = `${nth} ${failing}`;
    const cached = this.#models.get(key);
    if (cached?.madeAt === now) return cached;
    const cycle = cached ? cached.cycle + 1 : 0;
    const { incarnation, poll } = this.fleet;
    const text = agentText(nth, cycle, now, { incarnation, poll, failing });
    // The first service is the system, which has the host's name.
    const cut = text.indexOf("<type>");
    const model = {
      before: text.slice(0, cut),
      shared: share(text.slice(cut, -"</monit>".length)),
      madeAt: now,
      cycle,
    };
    this.#models.set(key, model);
    return model;
  }
}

function eventText({ at, number, isError }: AgentEvent): string {
  return eventXml(
    {
      service: FAILING_SERVICE,
      state: isError ? 1 : 0,
      action: isError ? 2 : 1,
      message: isError ? "process is not running" : "process is running with pid 100",
      collectedUsec: number % 1_000_000,
    },
    at,
  );
}
