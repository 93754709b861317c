/** What mutes cover. */
import { patternOf } from "../../src/platform/name-pattern.ts";
import { MUTES } from "./mutes.texts.ts";
import type { Mute } from "./types.ts";

/** What a mute covers, and its name for people. */
export interface MuteTarget {
  name: string;
  filter: Mute["filter"];
}

interface Named {
  id: number;
  name: string;
}

/** A mute of a host. */
export function hostTarget({ id, name }: Named): MuteTarget {
  return { name, filter: { hosts: [id] } };
}

/** A mute of a service. */
export function serviceTarget(host: Named, service: string): MuteTarget {
  return {
    name: MUTES.service(service, host.name),
    filter: { hosts: [host.id], servicenames: [patternOf(service)] },
  };
}

/** A mute of a host group. */
export function groupTarget({ id, name }: Named): MuteTarget {
  return { name: MUTES.group(name), filter: { hostgroups: [id] } };
}
