/**
 * The differences between the legacy API and /api/1: names, and arguments that existing clients leave out.
 * This table is the whole difference; operations and handlers are those of /api/1.
 */
import * as v from "valibot";
import { STATISTIC } from "../../monit/statistic-types.ts";
import { legacyHostFilters } from "../../monitoring/status/status.schemas.ts";
import type { TranslateArguments } from "../../platform/http/mount.ts";
import type { Kind, Operation } from "../../platform/http/operation.ts";
import { results } from "../../platform/http/paging.ts";
import { PreparedReply } from "../../platform/http/prepared.ts";

interface Difference {
  /** Path of the operation in /api/1, if it differs. */
  sameAs?: string;
  /** Legacy argument names and those of /api/1. Both are accepted everywhere. */
  arguments?: Readonly<Record<string, string>>;
  /** Arguments that only the legacy API has. */
  extraEntries?: v.ObjectEntries;
  /** Values that count as absent, by argument. */
  absent?: Readonly<Record<string, string>>;
  /** /api/1 accepts only POST. The legacy API accepts GET too, but not from a foreign origin. */
  alsoByGet?: true;
  /** Arguments that are required in /api/1 and optional here. An absent one keeps its value. */
  optional?: readonly string[];
  /** Without `results`, return the whole list instead of a page. */
  whole?: true;
  /** Legacy names of reply fields, by path of the field; "*" stands for each item of a list. */
  reply?: Readonly<Record<string, string>>;
  /** Further changes to the reply. */
  change?: (reply: never) => unknown;
}

const CREDENTIALS = { monituser: "agentuser", monitpassword: "agentpassword" };

/** Clients send 0 for "no end". */
const ABSENT_EVERYWHERE = { dateto: "0" };

interface Statistic {
  type: number;
  value: number | string;
  text?: string;
}

interface HostDetail {
  records: { host: { services: { statistics: Statistic[] }[] } };
}

/** The response time of a port whose test failed. Existing clients would show it as -1000 ms. */
function isOfFailedPort({ type, value }: Statistic): boolean {
  return type === STATISTIC.portResponse.code && value === -1;
}

/** Moves texts to `value`, where existing clients expect them, and leaves out ports that failed. */
function withLegacyStatistics({ records }: HostDetail) {
  const services = records.host.services.map((service) => ({
    ...service,
    statistics: service.statistics
      .filter((statistic) => !isOfFailedPort(statistic))
      .map((statistic) => ({ ...statistic, value: statistic.text ?? statistic.value })),
  }));
  return { records: { ...records, host: { ...records.host, services } } };
}

function withInactive(list: { records: { status: string }[] }) {
  return { ...list, inactive: list.records.filter(({ status }) => status === "Inactive").length };
}

/** Keyed by path below the mount. An operation that is not listed is the same in both APIs. */
export const LEGACY_API: Readonly<Record<string, Difference>> = {
  "/admin/hosts/list": { reply: { "records.*.agentversion": "monitversion" }, change: withInactive },
  "/admin/hosts/get": {
    reply: { agentid: "monitid", agentuser: "monituser", agentpassword: "monitpassword" },
  },
  "/admin/hosts/update": { arguments: CREDENTIALS, optional: ["agentuser", "agentpassword"] },
  "/admin/hosts/test": { arguments: CREDENTIALS, alsoByGet: true },
  "/action/service": { sameAs: "/admin/hosts/action", arguments: { hostid: "id" } },
  "/status/hosts/list": {
    extraEntries: legacyHostFilters,
    absent: { status: "", platform: "", machine: "" },
  },
  "/status/hosts/get": { reply: { "records.host.agent": "monit" }, change: withLegacyStatistics },
  "/reports/events/list": { whole: true },
  "/reports/analytics/get": { sameAs: "/reports/history/get", arguments: { statisticstype: "type" } },
  "/session/get": { absent: { key: "" } },
  "/session/delete": { absent: { key: "" } },
};

/** Removes values that count as absent. */
function removeAbsent(
  translated: Map<string, readonly string[]>,
  absent: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(absent)) {
    const remaining = translated.get(name)?.filter((value) => value !== text);
    if (remaining?.length === 0) translated.delete(name);
    else if (remaining) translated.set(name, remaining);
  }
}

function translator(legacyWins: boolean): TranslateArguments {
  return ({ path }, args) => {
    const translated = new Map(args);
    if (legacyWins) removeAbsent(translated, { ...ABSENT_EVERYWHERE, ...LEGACY_API[path]?.absent });
    for (const [legacyName, name] of Object.entries(LEGACY_API[path]?.arguments ?? {})) {
      const values = args.get(legacyName);
      if (values && (legacyWins || !args.has(name))) translated.set(name, values);
    }
    return translated;
  };
}

/** Accepts both names of an argument; that of /api/1 takes precedence. */
export const translateArguments = translator(false);
/** Accepts both names of an argument; the legacy name takes precedence. */
export const translateLegacyArguments = translator(true);

function requestOf({ request, past }: Operation, { optional = [], extraEntries, whole }: Difference) {
  const entries: v.ObjectEntries = { ...request.entries, ...extraEntries };
  if (past) delete entries.at;
  for (const name of optional) entries[name] = v.optional(entries[name] as v.GenericSchema);
  if (whole) entries.results = v.optional(results);
  return v.object(entries);
}

/** A copy of the value in which the field at the path is renamed; its position is kept. */
function renamed(value: unknown, [step = "", ...rest]: readonly string[], legacyName: string): unknown {
  if (step === "*") return (value as unknown[]).map((item) => renamed(item, rest, legacyName));
  const fields = Object.entries(value as Record<string, unknown>).map(([name, field]) => {
    if (name !== step) return [name, field];
    return rest.length === 0 ? [legacyName, field] : [name, renamed(field, rest, legacyName)];
  });
  return Object.fromEntries(fields);
}

function replyOf(value: unknown, difference: Difference): unknown {
  const { reply = {}, change } = difference;
  if (value instanceof Response) return value;
  if (value instanceof PreparedReply)
    return Object.keys(reply).length > 0 || change ? replyOf(value.value, difference) : value;
  const changed = change ? change(value as never) : value;
  return Object.entries(reply).reduce(
    (out, [path, legacyName]) => renamed(out, path.split("."), legacyName),
    changed,
  );
}

function kindOf({ kind }: Operation, { alsoByGet }: Difference): Kind {
  if (alsoByGet) return "change";
  return kind === "read" ? "query" : kind;
}

/** The legacy version of an operation. Existing clients also call reads by POST, and never ask about the past. */
function legacyVersionOf(operation: Operation): Operation {
  const difference = LEGACY_API[operation.path] ?? {};
  const { past: _, ...present } = operation;
  return {
    ...present,
    compatible: true,
    kind: kindOf(operation, difference),
    request: requestOf(operation, difference),
    handle: async (args, c) => replyOf(await operation.handle(args, c), difference),
  };
}

/** Paths below these exist in both APIs, unless they take JSON, which no client of the legacy API sends. */
const FAMILIES = /^\/(status|admin|reports|session)\//;

/** The operations of the legacy API, derived from those of /api/1. They take forms only. */
export function legacyVersions(operations: readonly Operation[]): Operation[] {
  const elsewhere = Object.entries(LEGACY_API).flatMap(([path, { sameAs }]) =>
    operations.filter((operation) => operation.path === sameAs).map((operation) => ({ ...operation, path })),
  );
  const shared = operations.filter(({ path, body }) => body === "form" && FAMILIES.test(path));
  return [...shared, ...elsewhere].map(legacyVersionOf);
}
