import * as v from "valibot";
import { direction, pageReply, results, sortReply, startindex } from "../../platform/http/paging.ts";
import { described, id, oneOf, text } from "../../platform/http/validate.ts";
import { mutedReply } from "../health/muted.ts";
import { LASTMODIFIED_MEANING, STATUS_MEANING, shownSettings } from "../hosts/hosts.schemas.ts";
import { tagFilter, tagsReply } from "../tags/tags.schemas.ts";
import { acknowledgementReply } from "../uptime/acknowledgements.schemas.ts";

const LED = "0 red, 1 orange, 2 green, 3 gray";

export const led = oneOf([0, 1, 2, 3]);

/** Filters of the list of hosts. Their conditions are in status.repository.ts. */
export const hostFilters = {
  hostid: described(v.optional(v.array(id)), "only these hosts"),
  hostgroupid: described(v.optional(v.array(id)), "only members of these host groups"),
  tag: tagFilter("hosts"),
  led: described(v.optional(v.array(led)), `only hosts with this LED: ${LED}`),
  hostpattern: described(v.optional(text(0, 255)), "only hosts whose name contains this, regardless of case"),
  hostname: described(v.optional(text(1, 255)), "only hosts with exactly this name, regardless of case"),
};

export const hostListArguments = v.object({
  ...hostFilters,
  results: described(v.optional(results), "page size; without it, all hosts"),
  startindex: v.optional(startindex, 0),
  sort: described(
    v.optional(oneOf(["hostname", "led", "events", "cpu", "mem", "status"]), "hostname"),
    "field to sort by",
  ),
  dir: v.optional(direction, "asc"),
});

const STATUS_WORDS = ["0", "1", "2", "Active", "Inactive", "Ignored"] as const;
const statusCode = v.pipe(
  oneOf(STATUS_WORDS),
  v.transform((word) => STATUS_WORDS.indexOf(word) % 3),
);
/** Additional filters of the list of hosts that only the legacy API offers. */
export const legacyHostFilters = {
  status: described(v.optional(v.array(statusCode)), `only hosts with this status: ${STATUS_MEANING}`),
  platform: described(v.optional(v.array(text(1, 255))), "only hosts with this operating system (uname -s)"),
  machine: described(v.optional(v.array(text(1, 255))), "only hosts with this hardware (uname -m)"),
};
const withLegacyFilters = v.object({ ...hostListArguments.entries, ...legacyHostFilters });
/** Routes without the legacy filters leave them undefined. */
export type HostListArguments = v.InferOutput<typeof withLegacyFilters>;

const number = v.number();
const string = v.string();
const ledReply = described(v.picklist([0, 1, 2, 3]), LED);
const statusText = described(string, "state in words");
const eventCount = described(number, "number of events stored");
const liveness = {
  statusid: described(number, STATUS_MEANING),
  heartbeat: described(number, "0: the agent has stopped reporting, 1: it reports"),
};
const lastmodified = described(number, LASTMODIFIED_MEANING);

const hostRecord = v.object({
  id: described(number, "id of the host"),
  led: ledReply,
  hostname: described(string, "name of the host"),
  events: eventCount,
  cpu: described(number, "CPU usage in percent; -1 if unknown"),
  mem: described(number, "memory usage in percent; -1 if unknown"),
  status: statusText,
  ...liveness,
  lastmodified,
  services: described(number, "number of its services"),
  servicesok: described(number, "number of its services that are green"),
  muted: mutedReply,
  tags: tagsReply,
});

const { totalRecords, ...page } = pageReply;

export const hostListReply = v.object({
  records: described(v.array(hostRecord), "hosts"),
  totalRecords,
  ...page,
  ...sortReply,
});

const statistic = v.object({
  id: described(number, "id of the series of values"),
  type: described(number, "code of the statistic type"),
  descriptor: described(string, "tells statistics of the same type apart"),
  value: described(number, "latest value"),
  text: described(v.optional(string), "latest text; only for statistics that are not numbers"),
});

const service = v.object({
  id: described(number, "id of the service"),
  name: described(string, "name of the service"),
  nameid: described(number, "id of the name, which all services of that name share"),
  type: described(string, "name of the service type"),
  typeid: described(number, "code of the service type"),
  monitorstate: described(number, "sum of: 0 off, 1 on, 2 initializing, 4 waiting"),
  monitormode: described(number, "0 active, 1 passive, 2 manual"),
  onreboot: described(number, "0 start, 1 nostart, 2 laststate"),
  status: statusText,
  led: ledReply,
  events: eventCount,
  every: described(
    string,
    "when the agent checks it: empty for every cycle, otherwise a number of cycles, as in 2 cycles, or a cron expression; after the word not, one of when it does not check it",
  ),
  statistics: described(v.array(statistic), "latest values"),
  acknowledged: acknowledgementReply,
  muted: mutedReply,
});

const platform = v.object({
  name: described(string, "as printed by uname -s"),
  release: described(string, "as printed by uname -r"),
  version: described(string, "as printed by uname -v"),
  machine: described(string, "as printed by uname -m"),
});

const agent = v.object({
  id: described(string, "unique id of the agent"),
  version: described(string, "version of the agent"),
  controlfile: described(string, "path of the agent's control file"),
  poll: described(number, "length of a poll cycle, seconds"),
  startdelay: described(number, "how long the agent waits after it starts, seconds"),
  uptime: described(string, "how long the agent has been running, in words"),
});

const unreadable = v.object({
  count: described(number, "number of values and elements, including those that are not listed"),
  services: described(
    v.array(
      v.object({
        service: described(string, "name of the service; empty for what belongs to no service"),
        count: described(number, "number of its values and elements"),
        elements: described(v.array(string), "paths of the first ones in the message"),
      }),
    ),
    "the first affected services",
  ),
});

const group = v.object({
  id: described(number, "id of the group"),
  name: described(string, "name of the group"),
});

const host = v.object({
  id: described(number, "id of the host"),
  name: described(string, "name of the host"),
  led: ledReply,
  status: statusText,
  ...liveness,
  platform: described(platform, "operating system and hardware"),
  cpu: described(v.object({ count: described(number, "number of processors") }), "processors"),
  memory: described(v.object({ size: described(number, "size in kB") }), "memory"),
  swap: described(v.object({ size: described(number, "size in kB") }), "swap space"),
  agent: described(agent, "the agent of the host"),
  services: described(v.array(service), "services of the host, with their latest values"),
  lastmodified,
  conflict: described(
    string,
    "why actions are blocked until admin/hosts/update confirms the host; empty if they are not",
  ),
  unreadable: described(
    unreadable,
    "values of the last message that could not be read; administrators only, empty for others",
  ),
  groupsleftout: described(
    number,
    "host groups named by the agent that were not created, since agents have created too many; administrators only, 0 for " +
      "others",
  ),
  ...shownSettings,
  groups: described(v.array(group), "host groups that it is a member of"),
  muted: mutedReply,
  tags: tagsReply,
  agentkey: described(
    v.nullable(
      v.object({ id: described(number, "id of the key"), name: described(string, "name of the key") }),
    ),
    "the key that its agent uses; null if it uses none, or for those who do not manage the key",
  ),
});

export const hostReply = v.object({
  records: described(
    v.object({
      is_user_admin: described(v.boolean(), "whether the caller is an administrator"),
      host: described(host, "the host"),
    }),
    "the host and the role of the caller",
  ),
});

const stateCount = v.object({
  label: described(
    string,
    "failed, services failed, some services failed/unmonitored, ok, inactive or ignored",
  ),
  data: described(number, "number of hosts"),
});

export const summaryReply = v.object({
  status: described(v.array(stateCount), "one item per state, always all six"),
});
