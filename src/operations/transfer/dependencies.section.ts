import * as v from "valibot";
import { listDependencies } from "../../alerting/dependencies/dependencies.repository.ts";
import { dependency } from "../../alerting/dependencies/dependencies.schemas.ts";
import { checked } from "../../platform/http/validate.ts";
import type { Section } from "./section.ts";

const end = v.record(v.string(), v.unknown());
const dependencySchema = v.strictObject({ dependent: end, cause: end });

/** Dependencies between hosts and services. */
export const dependenciesSection: Section<v.InferOutput<typeof dependencySchema>> = {
  name: "dependencies",
  schema: dependencySchema,
  nameOf: ({ dependent, cause }) => JSON.stringify([dependent, cause]),
  exportItems: ({ db, references }) =>
    listDependencies(db, undefined, "all").map(({ hostId, service, causeHostId, causeService }) => {
      const content = {
        dependent: { host: hostId, service },
        cause: { host: causeHostId, service: causeService },
      };
      return references.named(dependency.content, content).item as v.InferOutput<typeof dependencySchema>;
    }),
  importItem: ({ dependencies, references }, item) =>
    dependencies.put(checked(dependency.content, references.withIds(dependency.content, item))),
};
