import * as v from "valibot";
import { findSame, listDependencies } from "../../alerting/dependencies/dependencies.repository.ts";
import { findHost } from "../../monitoring/hosts/hosts.repository.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { text } from "../../platform/http/validate.ts";
import { idOfHost } from "./references.ts";
import type { Section } from "./section.ts";

/** A host by its agent id, or a service of it; "" for the host itself. */
const place = v.strictObject({ host: text(1, 255), service: text(0, 255) });
const dependencySchema = v.strictObject({ dependent: place, cause: place });

/** What depends on what. */
export const dependenciesSection: Section<v.InferOutput<typeof dependencySchema>> = {
  name: "dependencies",
  schema: dependencySchema,
  nameOf: ({ dependent, cause }) => JSON.stringify([dependent, cause]),
  exportItems: ({ db }) => {
    const agentOf = (id: number) => findHost(db, id, "all")?.agentId ?? "";
    return listDependencies(db, undefined, "all").map(({ hostId, service, causeHostId, causeService }) => ({
      dependent: { host: agentOf(hostId), service },
      cause: { host: agentOf(causeHostId), service: causeService },
    }));
  },
  importItem: ({ db, dependencies }, { dependent, cause }) => {
    const hostId = idOfHost(db, dependent.host);
    const causeHostId = idOfHost(db, cause.host);
    const ends = { service: dependent.service, causeservice: cause.service };
    const row = { hostId, causeHostId, service: dependent.service, causeService: cause.service };
    if (findSame(db, row)) return "updated";
    dependencies.create({ hostid: hostId, causehostid: causeHostId, ...ends }, FULL_REACH);
    return "created";
  },
};
