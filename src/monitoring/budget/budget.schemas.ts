import * as v from "valibot";
import { described, id } from "../../platform/http/validate.ts";
import { name, target } from "../groups/groups.schemas.ts";
import { mutedReply } from "../health/muted.ts";
import { listArguments, rangeReply, timelineReply } from "../uptime/uptime.schemas.ts";

const number = v.number();
const string = v.string();

const { hostgroupid: _groups, ...filters } = listArguments.entries;

export const budgetArguments = v.object({
  ...filters,
  hostgroupid: described(
    v.optional(id),
    "only members of this host group, against its target; without it, all hosts, without a target",
  ),
});
export type BudgetArguments = v.InferOutput<typeof budgetArguments>;

/** Every second of the period is in exactly one of the first five. */
const time = {
  up: described(number, "seconds up"),
  down: described(number, "seconds down: what is used of the error budget"),
  excluded: described(number, "seconds in which it was not monitored, stopped or ignored"),
  unknown: described(
    number,
    "seconds before its first report, those in which Muster was off, and those of which retention has deleted failures",
  ),
  remaining: described(number, "seconds that are still to come, if it is monitored now"),
  uptime: described(
    v.nullable(number),
    "seconds up, in percent of the seconds up and down; null: there are none",
  ),
  budget: described(
    v.optional(number),
    "error budget: the part of the seconds up, down and remaining that the target allows; absent without a target",
  ),
  left: described(
    v.optional(number),
    "what is left of the error budget, negative if it is exceeded; absent without a target",
  ),
};

export const budgetReply = v.object({
  ...rangeReply,
  dateto: described(number, "end of the period, unix timestamp"),
  running: described(v.boolean(), "whether that end is still to come"),
  timezone: described(string, "time zone of the calendar"),
  hostgroup: described(
    v.nullable(v.object({ id: described(id, "id of the group"), name })),
    "the host group; null: all hosts, or the groups of the moment are not known",
  ),
  target: described(v.nullable(target), "uptime target of the group, percent; null: no target"),
  hosts: described(number, "number of hosts"),
  ...time,
  items: described(
    v.array(
      v.object({
        id: described(number, "id of the host"),
        active: described(number, "1: monitored now, 0: not monitored"),
        name: described(string, "name of the host"),
        events: described(number, "number of events of the host"),
        ...time,
        cells: timelineReply,
        muted: mutedReply,
      }),
    ),
    "the hosts by name; the seconds of the group are the sums of theirs",
  ),
});
export type BudgetReply = v.InferOutput<typeof budgetReply>;
