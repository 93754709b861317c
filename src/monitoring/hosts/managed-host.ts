import { errors, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { requireReach } from "../scope/scope.repository.ts";
import { findHost, presentServices } from "./hosts.repository.ts";

/** The host that a caller manages. @throws ApiError 404 if they do not see it, 403 if they may not change it */
export function managedHost(db: Db, id: number, reach: Reach): HostRow {
  const host = found(findHost(db, id, reach.view), "host", id);
  requireReach(db, id, reach);
  return host;
}

/** @throws ApiError 404 for the first name that no service in the last message of the host's agent has */
export function requireServices(db: Db, hostId: number, names: readonly string[]): void {
  const present = new Set(presentServices(db, hostId).map(({ name }) => name));
  const unknown = names.find((name) => !present.has(name));
  if (unknown !== undefined) throw errors.notFound("service", unknown);
}
