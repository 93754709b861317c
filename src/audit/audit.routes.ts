import * as v from "valibot";
import { type Operation, read } from "../http/operation.ts";
import { results, startindex } from "../http/paging.ts";
import { text, unixTimestamp } from "../http/validate.ts";
import type { Audit } from "./audit.service.ts";

const MAX_RESULTS = 10_000;

const number = v.number();
const string = v.string();

const listArguments = v.object({
  results: v.optional(results, 50),
  startindex: v.optional(startindex, 0),
  uname: v.optional(text(1, 255)),
  operation: v.optional(text(1, 255)),
  datefrom: v.optional(unixTimestamp),
  dateto: v.optional(unixTimestamp),
});

const listReply = v.object({
  recordsReturned: number,
  pageSize: number,
  totalRecords: number,
  startIndex: number,
  records: v.array(
    v.object({
      id: number,
      date: number,
      uname: string,
      address: string,
      via: v.picklist(["login", "token", "command", "none"]),
      token: v.pipe(string, v.description("name of the API token, if it was one")),
      operation: string,
      subject: v.pipe(string, v.description("kind of what it was done to: host, group, user, token ...")),
      subjectid: string,
      subjectname: string,
      details: v.pipe(
        v.record(string, v.unknown()),
        v.description("what was changed, as [before, after], and what else belongs to it"),
      ),
    }),
  ),
});

export function auditOperations(audit: Audit): Operation[] {
  return [
    read("/admin/audit/list", {
      access: "admin",
      summary: "Who did what, newest first: changes, logins, and actions sent to agents",
      takes: listArguments,
      gives: listReply,
      handle: ({ results, ...args }) => audit.list({ ...args, results: Math.min(results, MAX_RESULTS) }),
    }),
  ];
}
