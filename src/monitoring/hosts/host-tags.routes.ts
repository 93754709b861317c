import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { described } from "../../platform/http/validate.ts";
import type { TagQueries } from "../tags/tags.queries.ts";
import { changeArguments, listArguments, listReply } from "../tags/tags.schemas.ts";
import { type HostTags, tooManyTags } from "./host-tags.service.ts";

/** Tags of hosts: those in use for every user, changes for administrators. */
export function tagOperations(tags: HostTags, queries: TagQueries): Operation[] {
  return [
    read("/status/tags/list", {
      access: "session",
      summary: "Tags that hosts have",
      request: listArguments,
      response: listReply,
      handle: ({ pattern = "" }, c) => queries.tagList(turnOf(c), pattern, scopeOf(c)),
    }),
    write("/admin/tags/add", {
      access: "admin",
      summary: "Add tags to hosts: to all of them or none",
      request: changeArguments,
      response: v.object({
        added: described(v.number(), "number of tags that hosts did not have before, counted for each host"),
      }),
      errors: [noSuch("host"), tooManyTags],
      audit: {
        subject: "tags",
        details: ({ tag, hostid }, { added }) => ({ tags: tag, hosts: hostid, added }),
      },
      handle: (args) => ({ added: tags.add(args) }),
    }),
    write("/admin/tags/remove", {
      access: "admin",
      summary: "Remove tags from hosts: from all of them or none",
      request: changeArguments,
      response: v.object({
        removed: described(v.number(), "number of tags that hosts had, counted for each host"),
      }),
      errors: [noSuch("host")],
      audit: {
        subject: "tags",
        details: ({ tag, hostid }, { removed }) => ({ tags: tag, hosts: hostid, removed }),
      },
      handle: (args) => ({ removed: tags.remove(args) }),
    }),
  ];
}
