import * as v from "valibot";
import { eventListArguments } from "../../monitoring/events/events.schemas.ts";
import { serviceType } from "../../monitoring/health/service-type.schemas.ts";
import { led } from "../../monitoring/status/status.schemas.ts";
import { MAX_FILTER, tag } from "../../monitoring/tags/tags.schemas.ts";
import { described, nameText, oneOf, text, unixTimestamp } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import type { FilterNameOf, Screen } from "./list-addresses.ts";

const words = text(1, 255);
const tags = described(
  v.exactOptional(v.pipe(v.array(tag), v.minLength(1), v.maxLength(MAX_FILTER))),
  "only hosts with these tags, or their events",
);
const order = {
  sort: described(v.exactOptional(words), "column by which the list is sorted"),
  dir: described(v.exactOptional(oneOf(["asc", "desc"])), "direction in which it is sorted"),
};

/** What the address of a list says. */
type FieldsOf<S extends Screen> = Record<"screen" | FilterNameOf<S> | keyof typeof order, v.GenericSchema>;

const hosts = v.strictObject({
  screen: described(v.literal("hosts"), "a filter of the list of hosts"),
  text: described(
    v.exactOptional(words),
    "only hosts that have each of these words in name, state or tags, or at the beginning of a word of their services or groups",
  ),
  led: described(v.exactOptional(led), "only hosts with this LED"),
  state: described(v.exactOptional(words), "only hosts in this state, as in the address of the list"),
  group: described(v.exactOptional(reference("hostgroup")), "only members of this host group"),
  tag: tags,
  ...order,
} satisfies FieldsOf<"hosts">);

const { eventtype } = eventListArguments.entries;
const events = v.strictObject({
  screen: described(v.literal("events"), "a filter of the list of events"),
  text: described(v.exactOptional(words), "only events in which each of these words begins a word"),
  active: described(v.exactOptional(oneOf([0, 1, 2])), "as the argument of reports/events/list"),
  state: described(v.exactOptional(oneOf([0, 1, 2])), "only events with this state"),
  hostid: described(v.exactOptional(reference("host")), "only events of this host"),
  hostgroupid: described(
    v.exactOptional(reference("hostgroup")),
    "only events of members of this host group",
  ),
  tag: tags,
  servicenameid: described(
    v.exactOptional(reference("servicename")),
    "only events of services with this name",
  ),
  servicegroupid: described(
    v.exactOptional(reference("servicegroup")),
    "only events of services in this service group; such a filter is not exported",
  ),
  servicetype: described(v.exactOptional(serviceType), "only events of services of this type"),
  eventtype: described(v.exactOptional(eventtype.wrapped), "only events of any of these types"),
  datefrom: described(v.exactOptional(unixTimestamp), "only events from this second on"),
  dateto: described(v.exactOptional(unixTimestamp), "only events up to and including this second"),
  ...order,
} satisfies FieldsOf<"events">);

/** A saved filter of the list of hosts or of events. */
export const filter = resource("filter", {
  order: "by name",
  fields: {
    name: described(nameText(255), "name of the filter; everyone who sees what it filters by can read it"),
    filter: described(
      v.variant("screen", [hosts, events]),
      "what the list is filtered by, as its address says it",
    ),
  },
  derived: {
    manage: described(v.boolean(), "whether the caller may change it"),
    created: described(v.number(), "when it was saved, unix timestamp"),
  },
});
