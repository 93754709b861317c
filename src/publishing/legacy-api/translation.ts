/**
 * The older dialect: what existing clients call things, and which arguments they leave out, where that differs from the
 * specification. This table is all there is to it; the operations and their handlers are those of /api/1.
 */
import * as v from "valibot";
import { legacyHostFilters } from "../../monitoring/status/status.schemas.ts";
import type { Arguments } from "../../platform/http/context.ts";
import type { TranslateArguments } from "../../platform/http/mount.ts";
import type { Kind, Operation } from "../../platform/http/operation.ts";
import { MAX_RESULTS, results } from "../../platform/http/paging.ts";
import { PreparedReply } from "../../platform/http/prepared.ts";

interface Difference {
  /** The operation that answers here, where it has another path in the specification. */
  sameAs?: string;
  /** Names of arguments: the older one, and the operation's. Both are understood on every mount. */
  arguments?: Readonly<Record<string, string>>;
  /** Arguments that only these clients give. */
  more?: v.ObjectEntries;
  /** Texts by which an argument counts as absent. */
  absent?: Readonly<Record<string, string>>;
  /** The specification has it by POST alone; by GET a foreign origin is refused. */
  alsoByGet?: true;
  /** Required by the specification, optional here: what is absent is kept. */
  optional?: readonly string[];
  /** Without `results`, the whole list (at most MAX_RESULTS records; pageSize then tells) instead of a first page. */
  whole?: true;
  /** Names of reply fields: the path of the field ("*" is each item of a list), and its older name. */
  reply?: Readonly<Record<string, string>>;
  /** What the reply has beyond the other names. */
  change?: (reply: never) => unknown;
}

const CREDENTIALS = { monituser: "agentuser", monitpassword: "agentpassword" };

/** Clients that have no end of a time in mind say so by 0. */
const ABSENT_EVERYWHERE = { dateto: "0" };

interface Statistic {
  value: number | string;
  text?: string;
}

interface HostDetail {
  records: { host: { services: { statistics: Statistic[] }[] } };
}

/** A text stands in `value`, where these clients look for it. A failed connection test has its -1 there, as it has elsewhere. */
function withTextInValue({ records }: HostDetail) {
  const services = records.host.services.map((service) => ({
    ...service,
    statistics: service.statistics.map((statistic) => ({
      ...statistic,
      value: statistic.text ?? statistic.value,
    })),
  }));
  return { records: { ...records, host: { ...records.host, services } } };
}

function withInactive(list: { records: { status: string }[] }) {
  return { ...list, inactive: list.records.filter(({ status }) => status === "Inactive").length };
}

/** By path below the mount. An operation that is not here is the same in both dialects. */
export const LEGACY_API: Readonly<Record<string, Difference>> = {
  "/admin/hosts/list": { reply: { "records.*.agentversion": "monitversion" }, change: withInactive },
  "/admin/hosts/get": {
    reply: { agentid: "monitid", agentuser: "monituser", agentpassword: "monitpassword" },
  },
  "/admin/hosts/update": { arguments: CREDENTIALS, optional: ["agentuser", "agentpassword"] },
  "/admin/hosts/test": { arguments: CREDENTIALS, alsoByGet: true },
  "/action/service": { sameAs: "/admin/hosts/action", arguments: { hostid: "id" } },
  "/status/hosts/list": { more: legacyHostFilters, absent: { status: "", platform: "", machine: "" } },
  "/status/hosts/get": { reply: { "records.host.agent": "monit" }, change: withTextInValue },
  "/reports/events/list": { whole: true },
  "/reports/analytics/get": { sameAs: "/reports/history/get", arguments: { statisticstype: "type" } },
  "/session/get": { absent: { key: "" } },
  "/session/delete": { absent: { key: "" } },
};

/** Leaves out what counts as absent. */
function leaveOut(
  understood: Map<string, readonly string[]>,
  absent: Readonly<Record<string, string>>,
): void {
  for (const [name, text] of Object.entries(absent)) {
    const left = understood.get(name)?.filter((value) => value !== text);
    if (left?.length === 0) understood.delete(name);
    else if (left) understood.set(name, left);
  }
}

function understanding(legacyWins: boolean): TranslateArguments {
  return ({ path }, given) => {
    const understood = new Map(given);
    if (legacyWins) leaveOut(understood, { ...ABSENT_EVERYWHERE, ...LEGACY_API[path]?.absent });
    for (const [older, own] of Object.entries(LEGACY_API[path]?.arguments ?? {})) {
      const values = given.get(older);
      if (values && (legacyWins || !given.has(own))) understood.set(own, values);
    }
    return understood;
  };
}

/** Arguments under either name; the specification's wins. */
export const translateArguments = understanding(false);
/** Arguments under either name; the older one wins. */
export const translateLegacyArguments = understanding(true);

function requestOf({ request }: Operation, { optional = [], more, whole }: Difference) {
  const entries: v.ObjectEntries = { ...request.entries, ...more };
  for (const name of optional) entries[name] = v.optional(entries[name] as v.GenericSchema);
  if (whole) entries.results = v.optional(results, MAX_RESULTS);
  return v.object(entries);
}

/** The same value with the field at the path called otherwise, in the same place. */
function renamed(value: unknown, [step = "", ...rest]: readonly string[], older: string): unknown {
  if (step === "*") return (value as unknown[]).map((item) => renamed(item, rest, older));
  const fields = Object.entries(value as Record<string, unknown>).map(([name, field]) => {
    if (name !== step) return [name, field];
    return rest.length === 0 ? [older, field] : [name, renamed(field, rest, older)];
  });
  return Object.fromEntries(fields);
}

function replyOf(value: unknown, difference: Difference, given: Arguments): unknown {
  const { reply = {}, change, whole } = difference;
  if (value instanceof Response) return value;
  if (value instanceof PreparedReply)
    return Object.keys(reply).length > 0 || change || whole ? replyOf(value.value, difference, given) : value;
  if (whole && !given.has("results")) {
    const list = value as { pageSize: number; totalRecords: number };
    return { ...list, pageSize: Math.min(list.pageSize, list.totalRecords) };
  }
  const changed = change ? change(value as never) : value;
  return Object.entries(reply).reduce((out, [path, older]) => renamed(out, path.split("."), older), changed);
}

function kindOf({ kind }: Operation, { alsoByGet }: Difference): Kind {
  if (alsoByGet) return "change";
  return kind === "read" ? "query" : kind;
}

/** The operation as it is on the older mounts. Existing clients also ask by POST for what the specification has as GET. */
function inLegacyWords(operation: Operation): Operation {
  const difference = LEGACY_API[operation.path] ?? {};
  return {
    ...operation,
    kind: kindOf(operation, difference),
    request: requestOf(operation, difference),
    handle: async (args, c) => replyOf(await operation.handle(args, c), difference, c.get("arguments")),
  };
}

/** Below these, the older mounts answer like /api/1. */
const FAMILIES = /^\/(status|admin|reports|session)\//;

/** The operations of the older mounts, made from those of the specification. */
export function translated(operations: readonly Operation[]): Operation[] {
  const elsewhere = Object.entries(LEGACY_API).flatMap(([path, { sameAs }]) =>
    operations.filter((operation) => operation.path === sameAs).map((operation) => ({ ...operation, path })),
  );
  return [...operations.filter(({ path }) => FAMILIES.test(path)), ...elsewhere].map(inLegacyWords);
}
