/** Looks up ids by name on a running server. */
import * as v from "valibot";
import { StartupError } from "../../platform/startup-error.ts";
import type { ApiClient } from "./api-client.ts";

const nameSchema = (name: string) => v.object({ id: v.number(), [name]: v.string() });
const hostList = v.object({ records: v.array(nameSchema("hostname")) });
const groupList = v.object({ records: v.array(nameSchema("name")) });

/** The items of a comma-separated list. */
export function namesOf(text = ""): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/** The ids of hosts with these names. @throws StartupError for an unknown name */
export async function hostIds(server: ApiClient, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const { records } = await server.call("GET", "status/hosts/list", hostList);
  return idsNamed("host", names, new Map(records.map(({ id, hostname }) => [hostname, id])));
}

/** The ids of host groups with these names. @throws StartupError for an unknown name */
export async function groupIds(server: ApiClient, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  // Not those of administration: someone who may mute a group need not manage it.
  const { records } = await server.call("GET", "status/hostgroups/list", groupList);
  return idsNamed("host group", names, new Map(records.map(({ id, name }) => [name, id])));
}

/**
 * The ids of the objects with these names, in their order.
 * @param noun of an object
 * @throws StartupError for an unknown name
 */
export function idsNamed(
  noun: string,
  names: readonly string[],
  idByName: ReadonlyMap<unknown, unknown>,
): number[] {
  return names.map((name) => {
    const id = idByName.get(name);
    if (typeof id !== "number") throw new StartupError(`there is no ${noun} "${name}"`);
    return id;
  });
}
