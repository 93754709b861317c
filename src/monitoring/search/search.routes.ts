import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import type { SearchQueries } from "./search.queries.ts";
import { searchArguments, searchReply } from "./search.schemas.ts";

/** The search by name, among what the caller sees. */
export function searchOperations(queries: SearchQueries): Operation[] {
  return [
    read("/status/search", {
      access: "session",
      summary: "Hosts, services and host groups by name",
      request: searchArguments,
      response: searchReply,
      handle: (args, c) => queries.search(turnOf(c), args, scopeOf(c)),
    }),
  ];
}
