/** What an import of a list would do. It runs on a query worker. */
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { INITIAL_SETTINGS } from "../hosts/host-settings.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { groupIdsByName, hostCountsByName, namesExpected } from "./expected.repository.ts";
import {
  type ExpectedList,
  type Listed,
  MAX_GROUPS,
  OUTCOMES,
  type Outcome,
  type Preview,
} from "./expected.schemas.ts";
import { type ReadHost, readHostList, recognisedForm } from "./list-reader.ts";

/** A host that the import adds. */
export interface PlannedHost {
  line: number;
  hostname: string;
  hostgroups: number[];
  /** Names of groups that do not exist. */
  newgroups: string[];
  tags: string[];
  description: string;
  skew: number;
}

/** What an import of a list adds, and what becomes of its lines. */
export interface ImportPlan {
  preview: Preview;
  added: PlannedHost[];
  /** Host groups of the list that do not exist. An administrator can let the import create them. */
  newgroups: string[];
}

type Judged = Pick<Listed, "outcome" | "reason">;

/** Judges each host of a list by what is stored. */
function judging(db: Db, hosts: readonly ReadHost[], scope: Scope): (host: ReadHost) => Judged {
  const names = [...new Set(hosts.map(({ hostname }) => hostname))];
  const expected = namesExpected(db, names);
  const reporting = hostCountsByName(db, names, scope);
  const judged = (outcome: Outcome, reason = ""): Judged => ({ outcome, reason });
  return ({ hostname, ambiguous }) => {
    const sameName = reporting.get(hostname) ?? 0;
    if (ambiguous !== "") return judged("ambiguous", ambiguous);
    if (sameName > 1) return judged("ambiguous", `${sameName} hosts have this name`);
    if (sameName === 1) return judged("reports");
    return judged(expected.has(hostname) ? "expected" : "add");
  };
}

/**
 * What an import of a list would add, and what would become of each line, in the order of lines. Nothing is
 * stored.
 * @param createsGroups whether groups that do not exist are to be created; otherwise they are reported as
 *   unknown
 */
export function importPlan(db: Db, args: ExpectedList, { act }: Reach, createsGroups: boolean): ImportPlan {
  const form = args.form === undefined || args.form === "auto" ? recognisedForm(args.list) : args.form;
  const { hosts, wrong, ignoredColumns } = readHostList(args.list, form);
  const existing = groupIdsByName(db, [...new Set(hosts.flatMap(({ groups }) => groups))]);
  const managed = (id: number | undefined) => id !== undefined && isJoinManaged({ hostgroups: [id] }, act);
  const judge = judging(db, hosts, act);
  const added: PlannedHost[] = [];
  const unknown = new Set<string>();
  const newgroups = new Set<string>();
  const records: Listed[] = wrong.map(({ line, text, reason }) => ({
    ...{ line, hostname: text, outcome: "wrong" as const, reason },
    ...{ hostgroups: [], tags: [], description: "", skew: INITIAL_SETTINGS.skew },
  }));
  for (const host of hosts) {
    const { line, hostname, groups, description, skew } = host;
    const joined = groups.filter(
      (name) => managed(existing.get(name)) || (createsGroups && !existing.has(name)),
    );
    const created = joined.filter((name) => !existing.has(name));
    for (const name of groups) if (!joined.includes(name)) unknown.add(name);
    const ofList = joined.flatMap((name) => existing.get(name) ?? []);
    const hostgroups = [...new Set([...args.hostgroups, ...ofList])];
    const tags = [...new Set([...args.tags, ...host.tags])];
    const problem = problemOf({ hostgroups, created, tags }, act);
    const judged = problem === "" ? judge(host) : { outcome: "wrong" as const, reason: problem };
    records.push({ line, hostname, ...judged, hostgroups: joined, tags, description, skew });
    if (judged.outcome !== "add") continue;
    for (const name of created) newgroups.add(name);
    added.push({ line, hostname, hostgroups, newgroups: created, tags, description, skew });
  }
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, records.filter((record) => record.outcome === outcome).length]),
  ) as Preview["counts"];
  const preview = {
    form,
    counts,
    unknowngroups: [...unknown].sort(),
    ignoredcolumns: ignoredColumns,
    records: records.sort((a, b) => a.line - b.line),
  };
  return { preview, added, newgroups: [...newgroups] };
}

/** Why a host cannot be expected; "" if it can. */
function problemOf(
  { hostgroups, created, tags }: { hostgroups: number[]; created: string[]; tags: string[] },
  act: Scope,
): string {
  if (hostgroups.length + created.length > MAX_GROUPS) return `it joins more than ${MAX_GROUPS} groups`;
  if (tags.length > MAX_TAGS) return `it has more than ${MAX_TAGS} tags`;
  return isJoinManaged({ hostgroups }, act) ? "" : "it joins none of the groups that you manage";
}
