/** All texts of dependencies. */
export const DEPENDENCIES = {
  title: "Dependencies",
  hint: "While the cause is failing, alerts for what depends on it are suppressed; the notification of the cause lists them.",
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
  causePlaceholder: "Host name",
  causeService: "Service of that host",
  causeServiceHint: "Empty: the host being down",
} as const;
