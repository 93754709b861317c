/** All texts of dependencies. */
export const DEPENDENCIES = {
  title: "Dependencies",
  hint: "While a cause fails, what depends on it is named in its message and not notified by itself.",
  place: (service: string, host: string) => (service === "" ? host : `${service} on ${host}`),
  dependsOn: (dependent: string, cause: string) => `${dependent} depends on ${cause}`,
  delete: "Delete",
  deleteOf: (dependency: string) => `Delete: ${dependency}`,
  add: "Add dependency",
  added: "Dependency added",
  deleted: "Dependency deleted",
  service: "Service of this host",
  serviceHint: "Empty: the whole host",
  cause: "Depends on host",
  causePlaceholder: "Name of the host",
  causeService: "Service of that host",
  causeServiceHint: "Empty: the host itself, when it is down",
} as const;
