import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { StatusPageQueries } from "./status-pages.queries.ts";
import { createReply, creation, listReply, update } from "./status-pages.schemas.ts";
import { type StatusPages, slugTaken } from "./status-pages.service.ts";

/** Administration of status pages; public-pages.routes.ts serves the pages themselves. */
export function statusPageOperations(pages: StatusPages, queries: StatusPageQueries): Operation[] {
  return [
    read("/admin/statuspages/list", {
      access: "manage",
      summary: "List the public status pages",
      response: listReply,
      handle: (_args, c) => queries.statusPageList(turnOf(c), scopeOf(c, "manage")),
    }),
    write("/admin/statuspages/create", {
      access: "manage",
      summary: "Create a status page of a host group, open to anyone with its address",
      request: creation,
      response: createReply,
      errors: [noSuch("group"), slugTaken],
      audit: {
        subject: "statuspage",
        id: (_args, reply) => reply?.id,
        details: ({ title, groupid, tag }) => ({ title, group: groupid, tags: tag?.join(", ") }),
      },
      handle: (args, c) => pages.create(args, scopeOf(c, "manage")),
    }),
    write("/admin/statuspages/update", {
      access: "manage",
      summary: "Change a status page; absent arguments keep their value",
      request: update,
      errors: [noSuch("status page or group"), slugTaken],
      audit: {
        subject: "statuspage",
        id: (args) => args.id,
        details: ({ title, groupid, tag, services }) => ({
          ...{ title, group: groupid, tags: tag?.join(", "), services },
        }),
      },
      handle: (args, c) => pages.update(args, scopeOf(c, "manage")),
    }),
    write("/admin/statuspages/delete", {
      access: "manage",
      summary: "Delete a status page; its address stops working",
      request: v.object({ id: idOf("status page") }),
      errors: [noSuch("status page")],
      audit: { subject: "statuspage", id: (args) => args.id },
      handle: (args, c) => pages.delete(args.id, scopeOf(c, "manage")),
    }),
  ];
}
