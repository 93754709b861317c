import * as v from "valibot";
import { allowing, boolean, described, integer, oneOf, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import { isVisible } from "../../platform/text.ts";
import { INITIAL_SETTINGS } from "../hosts/host-settings.ts";
import { hostSettings } from "../hosts/hosts.schemas.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tag } from "../tags/tags.schemas.ts";

/** The most hosts that are expected at a time, and that one list names. */
export const MAX_EXPECTED = 10_000;
/** The most groups of an expected host, which joins all of them. */
export const MAX_GROUPS = 100;
/** Longest list, characters. A request cannot be much longer. */
const MAX_LIST = 1_000_000;
/** The largest number of hosts listed with an expectation. */
export const MAX_NAMED = 10;

/** White space and control characters are in no name that an agent reports. */
export const reportedName = allowing(
  v.pipe(v.string(), v.regex(/^[^\s\p{Cc}]{1,255}$/u), v.check(isVisible)),
  "the name of a host: 1 to 255 characters without white space, at least one of them visible",
);

const hostgroups = v.pipe(v.array(reference("hostgroup")), v.maxLength(MAX_GROUPS));
const tags = v.pipe(v.array(tag), v.maxLength(MAX_TAGS));

/** A host that is expected: its settings before its agent first reports. */
export const expectedHost = resource("expected host", {
  key: "hostname",
  order: "by name",
  fields: {
    hostname: described(reportedName, "name of the host, exactly as its agent reports it"),
    hostgroups: described(v.optional(hostgroups, []), "ids of the host groups that the host joins"),
    tags: described(v.optional(tags, []), "tags that the host gets"),
    description: described(
      v.optional(hostSettings.description, INITIAL_SETTINGS.description),
      "description that the host gets, in the administrators' own words",
    ),
    skew: described(
      v.optional(hostSettings.skew, INITIAL_SETTINGS.skew),
      "number of poll cycles without a report after which the host is reported down",
    ),
  },
  derived: {
    created: described(v.number(), "since when it is expected, unix timestamp"),
    arrived: described(
      v.nullable(v.number()),
      "when a host of this name first reported and got these settings, unix timestamp; null: none did. It is listed for 7 more days",
    ),
    state: described(
      v.picklist(["waiting", "arrived", "ambiguous"]),
      "waiting: no host of this name reports; arrived: one does, and got these settings; ambiguous: another one has the name, so it is unclear which is meant",
    ),
    hosts: described(
      v.array(v.number()),
      `ids of the hosts with this name that the caller sees, at most ${MAX_NAMED}`,
    ),
  },
});

export const LIST_FORMS = ["names", "csv", "ini", "yaml", "json"] as const;

/** A list of names, of any form that Muster reads. */
const list = {
  list: described(
    text(1, MAX_LIST),
    "names of hosts, each on a line; or CSV with the columns hostname, groups, tags, description and skew; or an inventory of Ansible in INI, YAML or JSON, as muster inventory prints it",
  ),
  form: described(
    v.optional(oneOf(["auto", ...LIST_FORMS])),
    "form of the list; auto, or left out: it is recognised",
  ),
  hostgroups: described(v.optional(hostgroups, []), "ids of host groups that all of them join"),
  tags: described(v.optional(tags, []), "tags that all of them get"),
};

export const previewArguments = v.strictObject(list);
export const importArguments = v.strictObject({
  ...list,
  creategroups: described(
    v.optional(boolean, false),
    "whether host groups of the list that do not exist are created; only administrators may. Otherwise hosts do not join them",
  ),
});
export type ExpectedList = v.InferOutput<typeof previewArguments>;
export type ExpectedImport = v.InferOutput<typeof importArguments>;

export const OUTCOMES = ["add", "expected", "reports", "ambiguous", "wrong"] as const;
export type Outcome = (typeof OUTCOMES)[number];

const outcomeMeaning =
  "add: it will be expected; expected: it is already; reports: a host of this name reports already; ambiguous: the list has it twice with different settings, or several hosts have the name; wrong: it cannot be expected";

const listed = v.object({
  line: described(v.number(), "line of the list; 0 if it is not known"),
  hostname: described(v.string(), "name of the host; of a wrong line, its text"),
  outcome: described(v.picklist(OUTCOMES), outcomeMeaning),
  reason: described(v.string(), "why, if it is ambiguous or wrong"),
  hostgroups: described(v.array(v.string()), "names of the host groups that it joins"),
  tags: described(v.array(v.string()), "tags that it gets"),
  description: described(v.string(), "description that it gets"),
  skew: described(integer(1, 1000), "poll cycles without a report after which it is reported down"),
});

const hostsOfOutcome = described(v.number(), "number of hosts with this outcome");
const counts = v.object({
  add: hostsOfOutcome,
  expected: hostsOfOutcome,
  reports: hostsOfOutcome,
  ambiguous: hostsOfOutcome,
  wrong: hostsOfOutcome,
} satisfies Record<Outcome, unknown>);

const unknowngroups = described(
  v.array(v.string()),
  "host groups that the list names and that do not exist, or that the caller does not manage",
);

const ignoredcolumns = described(
  v.array(v.string()),
  "columns of a list in CSV that are ignored, such as misspelt ones, in lower case",
);

export const previewReply = v.object({
  form: described(v.picklist(LIST_FORMS), "form of the list"),
  counts: described(counts, "how many there are of each outcome"),
  unknowngroups,
  ignoredcolumns,
  records: described(v.array(listed), "hosts of the list, by their lines"),
});
export type Preview = v.InferOutput<typeof previewReply>;
export type Listed = v.InferOutput<typeof listed>;

export const importReply = v.object({
  added: described(v.number(), "number of hosts that are expected now and were not before"),
  skipped: described(
    v.number(),
    "number of hosts that were not added: they are expected already, report already, or are ambiguous",
  ),
  createdgroups: described(v.array(v.string()), "names of the host groups that were created"),
  unknowngroups,
  ignoredcolumns,
});
