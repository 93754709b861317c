/** Takes over the events of another server, a host at a time. Whatever is stored already is left out. */
import {
  ACTION_ALERT,
  ACTION_NAMES,
  eventTypesIn,
  MONIT_SERVICE_TYPE,
  SERVICE_TYPE_NAMES,
} from "../../monit/event-types.ts";
import {
  type ImportedEvent,
  type ImportedEventIdentity,
  MAX_IMPORTED_EVENTS,
  MAX_IMPORTED_MESSAGE,
  MAX_NAME,
  MAX_NOTE,
  MAX_NOTES,
  type MissingArguments,
  type StoreArguments,
} from "../../monitoring/imported-events/imported-events.schemas.ts";
import { batchesOf } from "../../platform/batches.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { cut } from "../../platform/text.ts";
import { type Predecessor, type PredecessorEvent, RefusedRequest } from "./predecessor.client.ts";
import type { PredecessorEventDetail } from "./predecessor.schemas.ts";

/** Newest event type of the specification. Servers may refuse later ones. */
const NEWEST_SPECIFIED = 4_194_304;
const ALL_TYPES = 0x7fffffff;
/** Details of events that are requested at the same time. */
const AT_ONCE = 8;
/** About the most characters in one request. The body may have a MiB. */
const MAX_LENGTH = 300_000;

/** The Muster that gets the events. */
export interface EventTarget {
  missing(args: MissingArguments): Promise<{ missing: number[]; present: number; expired: number }>;
  store(args: StoreArguments): Promise<{ stored: number }>;
}

/** Numbers of events: stored now, stored before, and older than Muster keeps events. */
export interface TransferCounts {
  stored: number;
  present: number;
  expired: number;
}

/** A new count, to which those of hosts are added with `plus`. */
export const noEvents = (): TransferCounts => ({ stored: 0, present: 0, expired: 0 });

/** The sum of two counts. */
export function plus(a: TransferCounts, b: TransferCounts): TransferCounts {
  return {
    stored: a.stored + b.stored,
    present: a.present + b.present,
    expired: a.expired + b.expired,
  };
}

/** The code of a name; undefined for an unknown one. */
function codeOf(names: readonly string[], name: string): number | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const code = names.findIndex((candidate) => plain(candidate) === plain(name));
  return code < 0 ? undefined : code;
}

function importedEvent(identity: ImportedEventIdentity, detail: PredecessorEventDetail): ImportedEvent {
  const notes = detail.note.filter(({ message }) => message !== "").slice(0, MAX_NOTES);
  return {
    ...identity,
    servicetype: codeOf(SERVICE_TYPE_NAMES, detail.servicetype) ?? MONIT_SERVICE_TYPE,
    action: codeOf(ACTION_NAMES, detail.action) ?? ACTION_ALERT,
    message: cut(detail.message, MAX_IMPORTED_MESSAGE),
    notes: notes.map(({ date, uname, message }) => ({
      date,
      uname: cut(uname, MAX_NAME),
      message: cut(message, MAX_NOTE),
    })),
  };
}

/** Splits events into requests that are not too long. */
function* requestsOf(events: readonly ImportedEvent[]): Generator<ImportedEvent[]> {
  let request: ImportedEvent[] = [];
  let length = 0;
  for (const event of events) {
    const added = JSON.stringify(event).length;
    if (request.length > 0 && length + added > MAX_LENGTH) {
      yield request;
      request = [];
      length = 0;
    }
    request.push(event);
    length += added;
  }
  if (request.length > 0) yield request;
}

/** The most events that fit into a request without parting those of one second, which only together can be compared. */
function sizeOfPart(events: readonly PredecessorEvent[]): number {
  let size = MAX_IMPORTED_EVENTS;
  while (size > 0 && events[size]?.date === events[size - 1]?.date) size--;
  return size || MAX_IMPORTED_EVENTS;
}

/** Pages of events, the oldest first, in parts for one request each. */
async function* partsOf(pages: AsyncIterable<PredecessorEvent[]>): AsyncGenerator<PredecessorEvent[]> {
  let waiting: PredecessorEvent[] = [];
  for await (const page of pages) {
    waiting = [...waiting, ...page];
    while (waiting.length > MAX_IMPORTED_EVENTS) yield waiting.splice(0, sizeOfPart(waiting));
  }
  if (waiting.length > 0) yield waiting;
}

/** Number of events of a type; 0 if the server does not know the type. @throws StartupError */
async function countOf(from: Predecessor, eventtype: number, dateto: number): Promise<number> {
  try {
    return await from.countEvents({ eventtype, dateto });
  } catch (error) {
    if (eventtype > NEWEST_SPECIFIED && error instanceof RefusedRequest) return 0;
    throw error;
  }
}

/**
 * A transfer of events, which can be run again after an interruption: events that are here already count as
 * present.
 */
export class EventTransfer {
  private constructor(
    private readonly from: Predecessor,
    private readonly to: EventTarget,
    /** Newest event that is taken over, unix seconds: agents may still report to the other server. */
    private readonly until: number,
    /** The event types that occur. A list of events does not contain their types, but can be filtered by one. */
    private readonly types: readonly number[],
    /** Number of events whose type the other server does not tell. They are left out. */
    readonly untold: number,
  ) {}

  /** Finds out which types of events the server has. @throws StartupError if it does not filter events by their type */
  static async prepare(from: Predecessor, to: EventTarget, until: number): Promise<EventTransfer> {
    const total = await from.countEvents({ dateto: until });
    const types: number[] = [];
    let counted = 0;
    for (const eventtype of eventTypesIn(ALL_TYPES)) {
      if (eventtype > NEWEST_SPECIFIED && counted >= total) break;
      const count = await countOf(from, eventtype, until);
      if (count > 0) types.push(eventtype);
      counted += count;
    }
    if (counted > total)
      throw new StartupError(
        "the other server does not filter events by eventtype, so their types are unknown",
      );
    return new EventTransfer(from, to, until, types, total - counted);
  }

  /** Takes over the events of a host. @param agentid of a host that is here @throws StartupError */
  async ofHost(hostid: number, agentid: string): Promise<TransferCounts> {
    return this.#eachPart(hostid, async (events) => {
      const { missing, ...others } = await this.to.missing({ agentid, events });
      const wanted = new Set(missing);
      const detailed: ImportedEvent[] = [];
      const wantedEvents = events.filter(({ id }) => wanted.has(id));
      for (const part of batchesOf(wantedEvents, AT_ONCE)) {
        const details = part.map(async (event) => importedEvent(event, await this.from.event(event.id)));
        detailed.push(...(await Promise.all(details)));
      }
      let stored = 0;
      for (const request of requestsOf(detailed))
        stored += (await this.to.store({ agentid, events: request })).stored;
      return { stored, ...others };
    });
  }

  /** Counts what `ofHost` would do, without doing it. @param agentid null for a host that is not here yet */
  async countsOf(hostid: number, agentid: string | null): Promise<TransferCounts> {
    return this.#eachPart(hostid, async (events) => {
      if (agentid === null) return { stored: events.length, present: 0, expired: 0 };
      const { missing, ...others } = await this.to.missing({ agentid, events });
      return { stored: missing.length, ...others };
    });
  }

  async #eachPart(
    hostid: number,
    work: (events: ImportedEventIdentity[]) => Promise<TransferCounts>,
  ): Promise<TransferCounts> {
    let sum = noEvents();
    for (const eventtype of this.types)
      for await (const part of partsOf(this.from.events({ hostid, eventtype, dateto: this.until })))
        sum = plus(sum, await work(part.map((event) => ({ ...event, eventtype }))));
    return sum;
  }
}
