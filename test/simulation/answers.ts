/** What the API says about hosts, services, open failures, groups, mutes and maintenance, as facts that can be compared. */
import type { Fields, TestClient } from "../support/client.ts";

/** One thing that answers say. */
export interface Fact {
  /** What it is about. Answers about the same moment have the same keys. */
  key: string;
  /** Hosts without which it is not told. */
  hosts: readonly number[];
  /** The service whose failures `state` depends on; "" if on those of all services of the host. */
  service: string;
  /** What does not depend on failures. */
  settled: unknown;
  state: unknown;
  /** Number of stored events; null if it has none. */
  events: number | null;
}

/** An open failure, as the list of events tells it. */
export interface OpenFailure {
  host: number;
  service: string;
  since: number;
  limit: number;
}

export interface Answers {
  facts: ReadonlyMap<string, Fact>;
  open: readonly OpenFailure[];
  /** Hosts whose failures are not listed. */
  ignored: ReadonlySet<number>;
}

/** An answer other than 200. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`the answer is ${status} ${text}`);
  }
}

type Columns = Record<string, unknown>;
const IGNORED = 2;
const LOAD = 0;
const MONIT = "Monit";
const NOTHING = { hosts: [], service: "", settled: null, state: null, events: null };

const pick = (row: Columns, ...names: string[]) => Object.fromEntries(names.map((name) => [name, row[name]]));
const omit = (row: Columns, ...names: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));

/** What a host is in by failures of its heartbeat. */
function livenessOf(key: string, row: Columns): Fact {
  const hosts = [row.id as number];
  return {
    ...NOTHING,
    key: `${key} liveness`,
    hosts,
    service: MONIT,
    state: pick(row, "statusid", "heartbeat"),
  };
}

function factsOfListed(row: Columns): Fact[] {
  const key = `host ${row.id}`;
  return [
    livenessOf(key, row),
    {
      ...NOTHING,
      key,
      hosts: [row.id as number],
      settled: pick(row, "hostname", "cpu", "mem", "lastmodified", "services", "muted", "tags"),
      state: pick(row, "led", "status", "servicesok"),
      events: row.events as number,
    },
  ];
}

/** Texts that agents report are not known later, nor are these fields. */
const NOT_KEPT = ["unreadable", "groupsleftout", "agentkey"];

function factsOfHost(row: Columns & { services: Columns[] }): Fact[] {
  const hosts = [row.id as number];
  const key = `page of host ${row.id}`;
  const state = ["led", "status"];
  const { uptime, ...agent } = row.agent as Columns;
  return [
    livenessOf(key, row),
    settled(`run of host ${row.id}`, { uptime }, hosts),
    {
      ...NOTHING,
      key,
      hosts,
      settled: { ...omit(row, ...NOT_KEPT, ...state, "statusid", "heartbeat", "services"), agent },
      state: pick(row, ...state),
    },
    ...row.services.map((service) => ({
      key: `service ${service.id}`,
      hosts,
      service: service.name as string,
      settled: {
        ...omit(service, "led", "status", "acknowledged", "events", "statistics"),
        statistics: (service.statistics as Columns[]).filter((statistic) => !("text" in statistic)),
      },
      state: pick(service, "led", "status", "acknowledged"),
      events: service.events as number,
    })),
  ];
}

/** An event stands for an open failure. */
function factOfError(row: Columns): Fact {
  const { id, hostid, servicename } = row;
  return {
    ...NOTHING,
    key: `error ${id}`,
    hosts: [hostid as number],
    service: servicename as string,
    state: row,
  };
}

/** A group without members may be one that agents named, of which nothing is stored while it has none. */
function factsOfGroup(row: Columns & { hosts: number[] }): Fact[] {
  if (row.hosts.length === 0) return [];
  return [
    { ...NOTHING, key: `group ${row.id}`, hosts: row.hosts, settled: pick(row, "name", "target") },
    ...row.hosts.map((host) => ({ ...NOTHING, key: `group ${row.id} member ${host}`, hosts: [host] })),
  ];
}

const settled = (key: string, row: Columns, hosts: readonly number[] = []): Fact => ({
  ...NOTHING,
  key,
  hosts,
  settled: row,
});

/** The last day of a host: its failures and what of it counted. */
function factOfGlance(row: Columns): Fact {
  const hosts = [row.id as number];
  return {
    ...NOTHING,
    key: `glance ${row.id}`,
    hosts,
    state: pick(row, "uptime", "beats", "load", "exceeded"),
  };
}

/** The highest load of a host that reports. */
function factOfRanked(row: Columns): Fact {
  const hosts = [row.hostid as number];
  const state = pick(row, "serviceid", "descriptor", "value", "at");
  return { ...NOTHING, key: `ranked ${row.hostid}`, hosts, service: MONIT, state };
}

/**
 * Asks about hosts, open failures, groups, limits, mutes and maintenance.
 * @param hosts those whose pages are read
 * @param at a moment in the past, unix seconds; undefined: now
 * @throws Refused
 */
export async function ask(client: TestClient, hosts: readonly number[], at?: number): Promise<Answers> {
  const get = async (path: string, fields: Fields = {}) => {
    const reply = await client.get(`/api/1/${path}`, { ...fields, ...(at !== undefined && { at }) });
    if (reply.status !== 200) throw new Refused(reply.status, `${path}: ${reply.text}`);
    return reply.json;
  };
  const listed: Columns[] = (await get("status/hosts/list")).records;
  const pages = [];
  for (const id of hosts) pages.push((await get("status/hosts/get", { id })).records.host);
  const glances = hosts.length === 0 ? [] : (await get("status/hosts/glance", { id: hosts })).records;
  const ranked: Columns[] = (await get("reports/history/top", { type: LOAD, results: 100 })).records;
  const errors: Columns[] = (await get("reports/events/list", { active: 1, results: 1000 })).records;
  const groups = (await get("status/hostgroups/list")).records;
  const serviceGroups: Columns[] = (await get("status/servicegroups/list")).records;
  const limits: Columns[] = (await get("limits/list")).records;
  const mutes = await get("mutes/list");
  const facts: Fact[] = [
    ...listed.flatMap(factsOfListed),
    ...pages.flatMap(factsOfHost),
    ...glances.map(factOfGlance),
    ...ranked.map(factOfRanked),
    ...errors.map(factOfError),
    ...groups.flatMap(factsOfGroup),
    // Agents create them anew with each start, so ids differ.
    ...serviceGroups.map((row) =>
      settled(`service group ${row.hostid} ${row.name}`, omit(row, "id"), [row.hostid as number]),
    ),
    ...limits.map((row) => settled(`limit ${row.id}`, omit(row, "warnings", "criticals"))),
    ...(mutes.records as Columns[]).map((row) => settled(`mute ${row.id}`, row)),
    ...(mutes.maintenance as Columns[]).map((row) => settled(`maintenance ${row.id}`, row)),
  ];
  return {
    facts: new Map(facts.map((fact) => [fact.key, fact])),
    open: errors.map(({ hostid, servicename, since, limitid }) => ({
      host: hostid as number,
      service: servicename as string,
      since: since as number,
      limit: limitid as number,
    })),
    ignored: new Set(listed.filter(({ statusid }) => statusid === IGNORED).map(({ id }) => id as number)),
  };
}
