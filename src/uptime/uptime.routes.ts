import type * as v from "valibot";
import type { AppContext } from "../http/context.ts";
import { csvReply } from "../http/csv.ts";
import { type Operation, query, read } from "../http/operation.ts";
import { barsArguments, barsReply, getArguments, listArguments, uptimeReply } from "./uptime.schemas.ts";
import type { Uptime } from "./uptime.service.ts";

type Report = v.InferOutput<typeof uptimeReply>;

function reply(c: AppContext, format: "json" | "csv", report: Report): Report | Response {
  if (format === "json") return report;
  const rows = report.items.map(({ id, name, active, uptime, downtime, events }) => [
    id,
    name,
    active,
    uptime,
    downtime,
    events,
  ]);
  return csvReply(c, "uptime.csv", [
    ["id", "name", "active", "uptime percent", "downtime", "events"],
    ...rows,
  ]);
}

export function uptimeOperations(uptime: Uptime): Operation[] {
  return [
    query("/reports/uptime/list", {
      access: "session",
      summary: "Uptime of all hosts",
      takes: listArguments,
      gives: uptimeReply,
      handle: ({ format, ...range }, c) => reply(c, format, uptime.list(range)),
    }),
    query("/reports/uptime/get", {
      access: "session",
      summary: "Uptime of the services of a host",
      takes: getArguments,
      gives: uptimeReply,
      handle: ({ id, format, ...range }, c) => reply(c, format, uptime.get(id, range)),
    }),
    read("/reports/uptime/bars", {
      access: "session",
      summary: "Seconds up, down and not counted of a host or service, in cells of equal length",
      takes: barsArguments,
      gives: barsReply,
      handle: ({ id, service, cells, ...range }) => uptime.bars(id, service, range, cells),
    }),
  ];
}
