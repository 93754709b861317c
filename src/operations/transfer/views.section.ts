import * as v from "valibot";
import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import { findHost } from "../../monitoring/hosts/hosts.repository.ts";
import { checked } from "../../platform/http/validate.ts";
import { allViews, findViewByName } from "../../publishing/views/views.repository.ts";
import { creation } from "../../publishing/views/views.schemas.ts";
import { idOfGroup, idOfHost } from "./references.ts";
import type { Section } from "./section.ts";
import { placeOfService, serviceAt } from "./transfer.repository.ts";

const viewSchema = v.strictObject({
  name: v.string(),
  type: v.array(v.number()),
  descriptor: v.optional(v.string()),
  hostgroup: v.optional(v.string()),
  order: v.picklist(["desc", "asc"]),
  results: v.number(),
  /** Agent ids. */
  hosts: v.array(v.string()),
  services: v.array(v.strictObject({ host: v.string(), name: v.string() })),
});

/** Saved views of the fleet. Tokens of walls are not exported: they are made for one wall. */
export const viewsSection: Section<v.InferOutput<typeof viewSchema>> = {
  name: "views",
  schema: viewSchema,
  nameOf: (view) => view.name,
  exportItems: ({ db }) =>
    allViews(db).flatMap(({ name, content }) => {
      const { hostgroupid, hostid, serviceid, ...same } = content;
      const hostgroup = hostgroupid === undefined ? undefined : findGroup(db, hostgroupid)?.name;
      // Without its group, it would show all hosts.
      if (hostgroupid !== undefined && hostgroup === undefined) return [];
      return {
        name,
        ...same,
        ...(hostgroup !== undefined && { hostgroup }),
        hosts: hostid.flatMap((id) => findHost(db, id, "all")?.agentId ?? []),
        services: serviceid.flatMap((id) => placeOfService(db, id) ?? []),
      };
    }),
  importItem: ({ db, views }, { hostgroup, hosts, services, ...same }) => {
    const given = checked(creation, {
      ...same,
      ...(hostgroup !== undefined && { hostgroupid: idOfGroup(db, hostgroup) }),
      hostid: hosts.map((agentId) => idOfHost(db, agentId)),
      // An imported host has no services before its agent reports.
      serviceid: services.flatMap(({ host, name }) => serviceAt(db, idOfHost(db, host), name) ?? []),
    });
    const known = findViewByName(db, given.name);
    if (known) views.replace(known.id, given);
    else views.create(given);
    return known ? "updated" : "created";
  },
};
