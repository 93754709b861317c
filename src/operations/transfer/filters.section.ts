import * as v from "valibot";
import { nameIdOf } from "../../monitoring/events/events.repository.ts";
import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import { findHost } from "../../monitoring/hosts/hosts.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allFilters, findFilterByName } from "../../publishing/filters/filters.repository.ts";
import { creation } from "../../publishing/filters/filters.schemas.ts";
import { idOfGroup, idOfHost } from "./references.ts";
import type { Section } from "./section.ts";
import { nameOfId } from "./transfer.repository.ts";

interface Reference {
  nameOf: (db: Db, id: number) => string | undefined;
  idOf: (db: Db, name: string) => number;
}

const group: Reference = { nameOf: (db, id) => findGroup(db, id)?.name, idOf: idOfGroup };
/** What addresses say by id and the file by name. Groups of services have names of their host alone. */
const REFERENCES: Readonly<Record<string, Reference | null>> = {
  group,
  hostgroupid: group,
  hostid: { nameOf: (db, id) => findHost(db, id, "all")?.agentId, idOf: idOfHost },
  servicenameid: { nameOf: nameOfId, idOf: nameIdOf },
  servicegroupid: null,
};

/** The query with names; null if what it refers to was deleted or has no name of its own. */
function named(db: Db, query: string): string | null {
  const result = new URLSearchParams(query);
  for (const [key, id] of new URLSearchParams(query)) {
    const reference = REFERENCES[key];
    if (reference === undefined) continue;
    const name = reference?.nameOf(db, Number(id));
    if (name === undefined) return null;
    result.set(key, name);
  }
  return result.toString();
}

/** The query with ids. @throws ApiError 400 */
function withIds(db: Db, query: string): string {
  const result = new URLSearchParams(query);
  for (const [key, name] of new URLSearchParams(query)) {
    const reference = REFERENCES[key];
    if (reference) result.set(key, String(reference.idOf(db, name)));
  }
  return result.toString();
}

/** Saved filters of the lists of hosts and of events. */
export const filtersSection: Section<v.InferOutput<typeof creation>> = {
  name: "filters",
  schema: v.strictObject(creation.entries),
  nameOf: (filter) => filter.name,
  exportItems: ({ db }) =>
    allFilters(db).flatMap(({ name, screen, query: stored }) => {
      const query = named(db, stored);
      return query === null ? [] : { name, screen, query };
    }),
  importItem: ({ db, savedFilters }, filter) => {
    const given = { ...filter, query: withIds(db, filter.query) };
    const known = findFilterByName(db, filter.name);
    if (known) savedFilters.delete(known.id);
    savedFilters.create(given);
    return known ? "updated" : "created";
  },
};
