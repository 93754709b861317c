import * as v from "valibot";
import { CPU_PARTS } from "../../monit/cpu-usage.ts";
import { STATISTIC as S } from "../../monit/statistic-types.ts";
import { MAX_COMPARED } from "../../monitoring/history/compare.service.ts";
import { compareReply, topArguments, topReply } from "../../monitoring/history/fleet-numbers.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { allowing, described, id, idOf, integer, nameText, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";

/** The most hosts that a wall shows. */
const MAX_SHOWN = 50;

const compared = <const T extends v.GenericSchema>(item: T, meaning: string) =>
  described(v.optional(v.pipe(v.array(item), v.maxLength(MAX_COMPARED)), []), meaning);

/** The statistics by which views of version 1.0 rank for CPU usage. */
const CPU_BEFORE = new Set([S.cpuUser, S.cpuSystem, S.cpuWait].map(({ code }) => code));

/** The types by which a view ranks. The three of version 1.0 for CPU usage, in any order, become all of its parts. */
export function withAllCpuParts(types: number[]): number[] {
  const isBefore = CPU_BEFORE.symmetricDifference(new Set(types)).size === 0;
  return isBefore ? [...CPU_PARTS] : types;
}

/** The metric and order by which hosts are ranked. */
const ranking = {
  statistics: v.pipe(
    described(
      topArguments.entries.type,
      "types of statistics (see statistic types) whose values are added up per service; 1, 2 and 3 alone, which version 1.0 " +
        "stored for CPU usage, become all nine parts of it",
    ),
    v.transform(withAllCpuParts),
  ),
  descriptor: described(
    v.optional(text(0, 1024), ""),
    "only the statistic with this descriptor; empty: with any",
  ),
  order: topArguments.entries.order,
};

/** The most rankings that a wall shows besides the main one of its view. */
const MAX_RANKINGS = 5;

/** The content of a view. */
const shown = {
  ...ranking,
  hostgroup: described(
    v.optional(v.nullable(reference("hostgroup")), null),
    "only members of this host group; null: all hosts",
  ),
  results: described(v.optional(integer(1, MAX_SHOWN), 20), "largest number of hosts listed"),
  hosts: compared(reference("host"), "hosts that are compared"),
  services: compared(reference("service"), "services that are compared"),
  rankings: described(
    v.optional(
      allowing(
        v.pipe(v.array(v.strictObject(ranking)), v.maxLength(MAX_RANKINGS)),
        `at most ${MAX_RANKINGS} rankings`,
      ),
      [],
    ),
    "further rankings of the same hosts, which walls show",
  ),
};

/** A saved view of the fleet, without the tokens of its walls. */
export const view = resource("view", {
  order: "by name",
  fields: { name: described(nameText(255), "name of the view"), ...shown },
  derived: {
    manage: described(v.boolean(), "whether the caller may change it"),
    created: described(v.number(), "when it was saved, unix timestamp"),
  },
});

const content = v.object(shown);
export type ShownContent = v.InferOutput<typeof content>;

export const tokenCreation = v.object({
  id: idOf("view"),
  name: described(nameText(255), "where the wall is, or what the token is for"),
});
export const oneToken = v.object({ id: described(id, "id of the token") });
export const opening = v.object({ token: described(text(1, 255), "token of the view") });

const number = v.number();

export const tokenListReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the token"),
        viewid: described(number, "id of the view that it shows"),
        viewname: described(v.string(), "name of that view"),
        name: described(v.string(), "where the wall is, or what the token is for"),
        created: described(number, "when it was created, unix timestamp"),
        lastused: described(v.nullable(number), "when it was last used, unix timestamp; null: not yet"),
      }),
    ),
    "tokens of views, in the order in which they were created",
  ),
});

export const tokenReply = v.object({
  id: described(number, "id of the token"),
  token: described(v.string(), "the token; only this reply contains it"),
});

export const openReply = v.object({ name: described(v.string(), "name of the view") });

export const wallReply = v.object({
  name: described(v.string(), "name of the view"),
  version: described(v.string(), "version of Muster"),
  ...shown,
  top: described(topReply, "the hosts ranked by the metric of the view; of mutes, only when they end"),
  rankings: described(
    v.array(
      v.object({
        ...ranking,
        top: described(topReply, "the hosts ranked by this metric; of mutes, only when they end"),
      }),
    ),
    "the further rankings of the view",
  ),
  comparison: described(v.optional(compareReply), "the last day of what the view compares; absent: nothing"),
});
