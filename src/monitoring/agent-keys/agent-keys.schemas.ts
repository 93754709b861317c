import * as v from "valibot";
import { DAY } from "../../platform/clock.ts";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import {
  allowing,
  described,
  id,
  idOf,
  integer,
  orEmpty,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";
import { collectorReply } from "../../platform/settings/settings.schemas.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tag } from "../tags/tags.schemas.ts";

/** Longest time for which a replaced secret is still accepted, seconds. */
export const MAX_OVERLAP = 90 * DAY;
/** The most hosts that are moved at once. */
const MAX_MOVED = 1000;
/** The most groups of a key: each new host joins all of them. */
const MAX_GROUPS = 100;

/** Text that needs no percent-encoding: Monit sends the login in the URL of its control file without decoding it. */
function plain(min: number, max: number) {
  const allowed = `${min} to ${max} ASCII letters, digits and . _ -`;
  return allowing(v.pipe(v.string(), v.regex(new RegExp(`^[\\w.-]{${min},${max}}$`))), allowed);
}

const timeOrNull = allowing(v.nullable(unixTimestamp), "a unix timestamp in seconds, or null");

/** A key of agents. Its secret is never part of a reply, except to admin/keys/secret and admin/keys/replace. */
export const agentKey = resource("key", {
  order: "by name",
  fields: {
    name: described(plain(1, 64), "name of the key: the user name with which agents post"),
    secret: described(
      v.optional(orEmpty(plain(20, 128)), ""),
      "the password with which agents post; empty: Muster generates one. Only admin/keys/secret shows it, and admin/keys/replace changes it",
    ),
    hostgroups: described(
      v.optional(v.pipe(v.array(reference("hostgroup")), v.maxLength(MAX_GROUPS)), []),
      "ids of the host groups that hosts join when they first report with the key; other groups that their agents name are ignored; empty: none, and agents may name any group",
    ),
    tags: described(
      v.optional(v.pipe(v.array(tag), v.maxLength(MAX_TAGS)), []),
      "tags that hosts get when they first report with the key",
    ),
    hostpattern: described(
      v.optional(text(0, 255), ""),
      "only hosts whose name matches this may use the key: * stands for any text, regardless of case; empty: any host",
    ),
    ends: described(
      v.optional(timeOrNull, null),
      "when the key ends: its messages are refused from then on, unix timestamp; null: never",
    ),
  },
  derived: {
    created: described(v.number(), "when it was created, unix timestamp"),
    lastused: described(v.nullable(v.number()), "when an agent last used it, unix timestamp; null: never"),
    previousuntil: described(
      v.nullable(v.number()),
      "until when the previous secret is accepted, unix timestamp; null if it is not",
    ),
    hosts: described(v.number(), "number of hosts that use it"),
    oldsecret: described(v.number(), "number of those whose last message had a previous secret"),
    groupsignored: described(
      v.number(),
      "number of host groups that agents of these hosts name, but that the key does not have",
    ),
  },
});

const overlap = (meaning: string) => described(v.optional(integer(0, MAX_OVERLAP), 0), meaning);

export const endArguments = v.strictObject({
  id: idOf("key"),
  overlap: overlap("seconds for which its messages are still accepted"),
});
export const endReply = v.object({ ends: described(v.number(), "when it ends, unix timestamp") });

export const replaceArguments = v.strictObject({
  id: idOf("key"),
  overlap: overlap(
    "seconds for which the present secret is accepted besides the new one; a secret that was replaced earlier is refused at once",
  ),
});

export const secretArguments = v.strictObject({ id: idOf("key") });

/** What an agent's control file needs to report with a key. */
export const secretReply = collectorReply;

export const moveArguments = v.strictObject({
  id: described(id, "id of the key; 0: the collector's first credential"),
  hosts: described(
    v.pipe(v.array(reference("host")), v.minLength(1), v.maxLength(MAX_MOVED)),
    "ids of the hosts",
  ),
});

export const moveReply = v.object({
  moved: described(v.number(), "number of hosts that the key may now take over"),
});

export const hostsArguments = v.object({
  id: idOf("key"),
  results: pageSize(100),
  startindex: v.optional(startindex, 0),
});

const keyHost = v.object({
  id: described(v.number(), "id of the host"),
  hostname: described(v.string(), "name of the host"),
  lastmodified: described(v.number(), "when its last message came, unix timestamp"),
  bound: described(
    v.boolean(),
    "whether it uses the key; false: it was moved here, and has yet to report with it",
  ),
  movesto: described(
    v.nullable(v.number()),
    "id of the key that may take it over with its next message, 0 for the collector's first credential; null: none",
  ),
  oldsecret: described(v.boolean(), "whether its last message had a previous secret"),
  groupsignored: described(
    v.number(),
    "number of host groups that its agent names, but that the key does not have",
  ),
});

export const hostsReply = v.object({
  ...pageReply,
  records: described(v.array(keyHost), "hosts that use the key or were moved to it, by name"),
});
