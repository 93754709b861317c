/**
 * Levels by groups of an OpenID provider or proxy, as one line of text: `GROUP=HOSTGROUP:LEVEL`, with commas
 * between. Commas, colons and equals signs in names are percent-encoded.
 */
import { LEVELS, type Level } from "../http/scope.ts";
import { percentDecoded } from "../net/percent-encoding.ts";

export interface ExternalLevel {
  /** At the provider or proxy. */
  group: string;
  /** Name of the host group. */
  hostgroup: string;
  level: Level;
}

function nameIn(text: string): string {
  return percentDecoded(text.trim()) ?? "";
}

function readOne(text: string): ExternalLevel | null {
  const [, group = "", hostgroup = "", word = ""] = /^([^=]+)=([^=:]+):([a-z]+)$/.exec(text.trim()) ?? [];
  const level = LEVELS.find((candidate) => candidate === word);
  const names = { group: nameIn(group), hostgroup: nameIn(hostgroup) };
  return level && names.group !== "" && names.hostgroup !== "" ? { ...names, level } : null;
}

/** @returns null when the text has another format */
export function readExternalLevels(text: string): ExternalLevel[] | null {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const levels = parts.flatMap((part) => readOne(part) ?? []);
  return levels.length === parts.length ? levels : null;
}
