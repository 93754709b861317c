import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import { OBJECTS } from "../../platform/http/steps.ts";
import { described } from "../../platform/http/validate.ts";
import type { TagQueries } from "./tags.queries.ts";
import { type TagChange, tagChange, tagListArguments, tagListReply } from "./tags.schemas.ts";
import { type HostTags, tooManyTags } from "./tags.service.ts";

/** The most tags that a step writes. */
const TAGS = 500;

const hostsOfStep = ({ tags }: TagChange) => Math.min(OBJECTS, Math.floor(TAGS / tags.length));

/** Tags of hosts: every user reads those in use, administrators change them. */
export function tagOperations(tags: HostTags, queries: TagQueries): Operation[] {
  return [
    read("/status/tags/list", {
      access: "session",
      past: true,
      summary: "Tags that hosts have",
      request: tagListArguments,
      response: tagListReply,
      handle: ({ pattern = "" }, c) => queries.tagList(turnOf(c), pattern, scopeOf(c)),
    }),
    writeJson("/admin/tags/add", {
      access: "admin",
      summary: "Add tags to hosts: to none if one of them cannot have them; to many in steps",
      request: tagChange,
      response: v.object({
        added: described(v.number(), "number of tags that hosts did not have before, counted for each host"),
      }),
      errors: [tooManyTags],
      audit: {
        subject: "tags",
        details: (change, { added }) => ({ ...change, added }),
      },
      stepped: {
        objects: "hosts",
        size: hostsOfStep,
        check: (args) => tags.checkAdd(args),
        reply: (replies) => ({ added: replies.reduce((sum, { added }) => sum + added, 0) }),
      },
      handle: (args) => ({ added: tags.add(args) }),
    }),
    writeJson("/admin/tags/remove", {
      access: "admin",
      summary: "Remove tags from hosts: from none if one of them does not exist; from many in steps",
      request: tagChange,
      response: v.object({
        removed: described(v.number(), "number of tags that hosts had, counted for each host"),
      }),
      audit: {
        subject: "tags",
        details: (change, { removed }) => ({ ...change, removed }),
      },
      stepped: {
        objects: "hosts",
        size: hostsOfStep,
        check: (args) => tags.checkRemove(args),
        reply: (replies) => ({ removed: replies.reduce((sum, { removed }) => sum + removed, 0) }),
      },
      handle: (args) => ({ removed: tags.remove(args) }),
    }),
  ];
}
