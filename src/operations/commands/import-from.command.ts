/** Imports what a server that speaks the same API knows: hosts, groups, users, and the past of hosts. */
import { missingReply, storeReply } from "../../monitoring/imported-events/imported-events.schemas.ts";
import { systemClock } from "../../platform/clock.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { readPrivately } from "../../platform/files/private-file.ts";
import { webUrl } from "../../platform/net/web-url.ts";
import { counted } from "../../platform/text.ts";
import { type BroughtAlong, broughtAlong, exported, usersHere } from "../predecessor/configuration.ts";
import { EventTransfer, noEvents, plus, type TransferCounts } from "../predecessor/event-transfer.ts";
import { Predecessor, type PredecessorLogin } from "../predecessor/predecessor.client.ts";
import type { PredecessorHost } from "../predecessor/predecessor.schemas.ts";
import { importReply } from "../transfer/transfer.routes.ts";
import { type ApiClient, apiClientOf, serverOptions } from "./api-client.ts";
import type { Command, CommandLine, Io } from "./command.ts";
import { readFor } from "./named-source.ts";
import { printedLine } from "./printed-line.ts";

const WHOSE = "an administrator";
const DRY_RUN = { flag: "--dry-run", doc: "only print what would be imported" };
const USER = { flag: "--user", value: "NAME", doc: "an administrator of the other server" };
const PASSWORD_FILE = {
  flag: "--password-file",
  value: "FILE",
  doc: "file with the password (prompted for, or read from standard input)",
};

/** What the API of the other server cannot give. */
const NOT_IN_THE_API =
  "not imported, as the API of the other server does not provide it: past values of metrics, rules and channels, pictures of users, passwords for agents, and the times in which a host was ignored or a service not monitored";

/** @throws ConfigError */
function addressOf(text: string): URL {
  const url = webUrl(text);
  if (!url)
    throw new ConfigError("URL must be the address of the other server, as in https://old.example:8080");
  if (url.username || url.password)
    throw new ConfigError(
      "URL must be without user and password, which others could read in the list of processes",
    );
  return url;
}

async function loginOf(args: CommandLine, io: Io): Promise<PredecessorLogin> {
  const uname = args.value(USER.flag);
  if (uname === undefined) throw new ConfigError("--user must name an administrator of the other server");
  const file = args.value(PASSWORD_FILE.flag);
  const password =
    file === undefined
      ? await io.readSecret(`Password of ${uname}`, "known")
      : readFor(PASSWORD_FILE.flag, () => readPrivately(file).trim());
  return { uname, password };
}

function printOutcomes({ outcomes, remarks }: BroughtAlong, io: Io): void {
  for (const [noun, { added, completed, same }] of Object.entries(outcomes))
    io.print(`${noun}: ${added} added, ${completed} completed, ${same} here already`);
  for (const remark of remarks) io.print(printedLine(`  ${remark}`));
}

function printEvents({ stored, present, expired }: TransferCounts, untold: number, io: Io): void {
  io.print(`events: ${stored} added, ${present} here already, ${expired} older than Muster keeps events`);
  if (untold > 0) io.print(`  ${counted(untold, "event")}: the other server does not return the type`);
}

function eventTarget(server: ApiClient) {
  return {
    missing: (args: object) => server.call("POST", "admin/pastevents/missing", missingReply, args),
    store: (args: object) => server.call("POST", "admin/pastevents/store", storeReply, args),
  };
}

/** Does something for each host, and adds up what came of it. */
async function ofAllHosts(
  hosts: readonly PredecessorHost[],
  io: Io,
  work: (host: PredecessorHost) => Promise<TransferCounts>,
): Promise<TransferCounts> {
  let sum = noEvents();
  for (const [i, host] of hosts.entries()) {
    io.progress?.(`events: host ${i + 1} of ${hosts.length}`);
    sum = plus(sum, await work(host));
  }
  io.progress?.("");
  return sum;
}

export const importFromCommand: Command = {
  name: "import-from",
  summary: "import hosts, groups, users and past events of a server with the same API; can be run again",
  usesNoData: true,
  operands: ["URL"],
  options: [USER, PASSWORD_FILE, DRY_RUN, ...serverOptions(WHOSE)],
  run: async (args, io) => {
    const server = apiClientOf(args, WHOSE);
    const until = systemClock.now();
    const from = await Predecessor.open(addressOf(args.operands[0] ?? ""), await loginOf(args, io));
    const present = {
      ...(await server.download("admin/transfer/export", exported)),
      users: await server.call("GET", "admin/users/list", usersHere),
    };
    const [groups, hosts, users] = [await from.groups(), await from.hosts(), await from.users()];
    const plan = broughtAlong({ groups, hosts, users }, present);
    const events = await EventTransfer.prepare(from, eventTarget(server), until);
    const isDryRun = args.has(DRY_RUN.flag);
    if (isDryRun) io.print("Nothing is changed. This is what would be imported:");
    else await server.upload("admin/transfer/import", "file", JSON.stringify(plan.document), importReply);
    printOutcomes(plan, io);
    const here = new Set(present.hosts.map(({ agentid }) => agentid));
    const taken = hosts.filter(({ agentid }) => plan.hosts.has(agentid));
    const counts = await ofAllHosts(taken, io, ({ id, agentid }) =>
      isDryRun ? events.countsOf(id, here.has(agentid) ? agentid : null) : events.ofHost(id, agentid),
    );
    printEvents(counts, events.untold, io);
    io.print(NOT_IN_THE_API);
    return 0;
  },
};
