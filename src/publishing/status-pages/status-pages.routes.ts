import * as v from "valibot";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import { createReply, creation, listReply, update } from "./status-pages.schemas.ts";
import { type StatusPages, slugTaken } from "./status-pages.service.ts";

/** Administration of status pages; public-pages.routes.ts serves the pages themselves. */
export function statusPageOperations(pages: StatusPages): Operation[] {
  return [
    read("/admin/statuspages/list", {
      access: "admin",
      summary: "List the public status pages",
      response: listReply,
      handle: () => pages.list(),
    }),
    write("/admin/statuspages/create", {
      access: "admin",
      summary: "Create a status page of a host group, open to anyone with its address",
      request: creation,
      response: createReply,
      errors: [noSuch("group"), slugTaken],
      audit: {
        subject: "statuspage",
        id: (_args, reply) => reply?.id,
        details: ({ title, groupid }) => ({ title, group: groupid }),
      },
      handle: (args) => pages.create(args),
    }),
    write("/admin/statuspages/update", {
      access: "admin",
      summary: "Change a status page; absent arguments keep their value",
      request: update,
      errors: [noSuch("status page or group"), slugTaken],
      audit: {
        subject: "statuspage",
        id: (args) => args.id,
        details: ({ title, groupid, services }) => ({ title, group: groupid, services }),
      },
      handle: (args) => pages.update(args),
    }),
    write("/admin/statuspages/delete", {
      access: "admin",
      summary: "Delete a status page; its address stops working",
      request: v.object({ id: idOf("status page") }),
      errors: [noSuch("status page")],
      audit: { subject: "statuspage", id: (args) => args.id },
      handle: (args) => pages.delete(args.id),
    }),
  ];
}
