/** Looks up ids by name on a running server. */
import * as v from "valibot";
import { tag } from "../../monitoring/tags/tags.schemas.ts";
import { StartupError } from "../../platform/startup-error.ts";
import type { ApiClient } from "./api-client.ts";
import { checked } from "./checked.ts";
import type { CommandLine } from "./command.ts";

const hostList = v.object({ records: v.array(v.object({ id: v.number(), hostname: v.string() })) });
const groupList = v.object({ records: v.array(v.object({ id: v.number(), name: v.string() })) });

/** The items of a comma-separated list. */
export function namesOf(text = ""): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/** The tags that the option names. @throws StartupError for what is no tag */
export function tagsIn(args: CommandLine): string[] {
  return namesOf(args.value("--tag")).map((name) => checked("--tag", tag, name));
}

/** The ids of all hosts with these names, which several may share. @throws StartupError for an unknown name */
export async function hostIds(server: ApiClient, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  const { records } = await server.call("GET", "status/hosts/list", hostList);
  return idsNamed(
    "host",
    names,
    records.map(({ id, hostname }) => ({ id, name: hostname })),
  );
}

/** The ids of host groups with these names. @throws StartupError for an unknown name */
export async function groupIds(server: ApiClient, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return [];
  // Not the list for administration: someone who may mute a group need not be allowed to manage it.
  const { records } = await server.call("GET", "status/hostgroups/list", groupList);
  return idsNamed("host group", names, records);
}

/** @throws StartupError for an unknown name */
function idsNamed(
  noun: string,
  names: readonly string[],
  objects: readonly { id: number; name: string }[],
): number[] {
  const byName = Map.groupBy(objects, ({ name }) => name);
  return names.flatMap((name) => {
    const named = byName.get(name);
    if (!named) throw new StartupError(`there is no ${noun} "${name}"`);
    return named.map(({ id }) => id);
  });
}
