/** Hosts that are expected, on a running server. */
import {
  expectedHost,
  importReply,
  type Preview,
  previewReply,
} from "../../monitoring/expected/expected.schemas.ts";
import { DAY, systemClock } from "../../platform/clock.ts";
import { readText } from "../../platform/files/named-file.ts";
import type { RecordOf } from "../../platform/resources/resource.ts";
import { counted } from "../../platform/text.ts";
import { apiClientOf, serverOptions } from "./api-client.ts";
import type { Command, Io } from "./command.ts";
import { groupIds, namesOf, tagsIn } from "./host-names.ts";
import { printedLine } from "./printed-line.ts";

const WHOSE = "someone who manages the hosts";
const SERVER = serverOptions(WHOSE);

type Expected = RecordOf<typeof expectedHost>;

/** An expected host as a line: its name, its state, and since when it is expected. */
function lineOf({ hostname, state, created }: Expected, now: number): string {
  const days = Math.max(0, Math.floor((now - created) / DAY));
  return printedLine(hostname, state, counted(days, "day"));
}

/** Names the columns of the list that had no effect: one may be misspelt. */
function complainOfIgnored(columns: readonly string[], io: Io): void {
  if (columns.length > 0) io.complain(`ignored columns: ${columns.join(", ")}`);
}

/** Says what an import would do: a line for each host, and what needs attention apart. */
function printPreview({ counts, unknowngroups, ignoredcolumns, records }: Preview, io: Io): void {
  for (const { line, hostname, outcome, reason } of records)
    io.print(
      printedLine(...[line > 0 ? String(line) : "", hostname, outcome, reason].filter((part) => part !== "")),
    );
  complainOfIgnored(ignoredcolumns, io);
  if (unknowngroups.length > 0) io.complain(`unknown host groups: ${unknowngroups.join(", ")}`);
  io.print(
    Object.entries(counts)
      .map(([outcome, n]) => `${n} ${outcome}`)
      .join(", "),
  );
}

export const expectCommands: Command[] = [
  {
    name: "expect",
    usesNoData: true,
    summary: "expect the hosts of a list: names, CSV, or an inventory of Ansible",
    operands: ["FILE"],
    options: [
      ...SERVER,
      { flag: "--group", value: "NAME,...", doc: "host groups that all of them join" },
      { flag: "--tag", value: "TAG,...", doc: "tags that all of them get" },
      { flag: "--create-groups", doc: "create the host groups in the list that do not exist yet" },
      { flag: "--preview", doc: "only print what would be added, and what is wrong or ambiguous" },
    ],
    run: async (args, io) => {
      const server = apiClientOf(args, WHOSE);
      const [path = ""] = args.operands;
      const list = {
        list: readText(path),
        hostgroups: await groupIds(server, namesOf(args.value("--group"))),
        tags: tagsIn(args),
      };
      if (args.has("--preview")) {
        const preview = await server.call("POST", "admin/expected/preview", previewReply, list);
        printPreview(preview, io);
        return preview.counts.wrong > 0 ? 1 : 0;
      }
      const { added, skipped, unknowngroups, ignoredcolumns } = await server.call(
        "POST",
        "admin/expected/import",
        importReply,
        { ...list, creategroups: args.has("--create-groups") },
      );
      io.print(`${added} added, ${skipped} skipped`);
      complainOfIgnored(ignoredcolumns, io);
      if (unknowngroups.length > 0)
        io.complain(`left out, as there are no such host groups: ${unknowngroups.join(", ")}`);
      return 0;
    },
  },
  {
    name: "expected",
    usesNoData: true,
    summary: "list the hosts that are expected, and since when",
    options: SERVER,
    run: async (args, io) => {
      const server = apiClientOf(args, WHOSE);
      const { records } = await server.call("GET", "admin/expected/list", expectedHost.list);
      for (const host of records as Expected[]) io.print(lineOf(host, systemClock.now()));
      return 0;
    },
  },
];
