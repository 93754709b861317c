import * as v from "valibot";
import { boolean, described, integer, text } from "../../platform/http/validate.ts";
import { tagCount } from "../tags/tags.schemas.ts";

const DEFAULT_RESULTS = 8;
const MAX_RESULTS = 50;

export const searchArguments = v.object({
  text: described(
    text(1, 255),
    "words that each begin a word of the name; for services, words of the host's name count too",
  ),
  results: described(
    v.optional(integer(1, MAX_RESULTS), DEFAULT_RESULTS),
    "largest number of results of each kind",
  ),
  members: described(
    v.optional(boolean, false),
    "1: also the ids of all hosts by the names of what they have",
  ),
});
export type SearchArguments = v.InferOutput<typeof searchArguments>;

const id = v.number();
const name = v.string();
const led = described(v.number(), "0 red, 1 orange, 2 green, 3 gray");

export const searchReply = v.object({
  hosts: described(
    v.array(
      v.object({
        id: described(id, "id of the host"),
        name: described(name, "name of the host"),
        led,
      }),
    ),
    "hosts, in order of name",
  ),
  services: described(
    v.array(
      v.object({
        id: described(id, "id of the service"),
        name: described(name, "name of the service"),
        hostid: described(id, "id of its host"),
        hostname: described(name, "name of its host"),
        led,
      }),
    ),
    "services, in order of name",
  ),
  groups: described(
    v.array(
      v.object({
        id: described(id, "id of the host group"),
        name: described(name, "name of the host group"),
      }),
    ),
    "host groups of which the caller sees a host, in order of name",
  ),
  tags: described(v.array(tagCount), "tags that contain every word, in order"),
  members: described(
    v.optional(
      v.array(
        v.object({
          part: described(v.string(), "a part of the text without spaces"),
          hosts: described(v.array(id), "ids of at most 10,000 hosts"),
        }),
      ),
    ),
    "for each part, the hosts that have a service or host group whose name has words that begin with its words; only if requested",
  ),
});
