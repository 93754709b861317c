/** Commands for agent keys. They need a running server: it caches keys in memory, so it must know of each change. */
import type * as v from "valibot";
import { helperReply } from "../../monitoring/actions/actions.schemas.ts";
import {
  agentKey,
  endReply,
  MAX_OVERLAP,
  moveReply,
  secretReply,
} from "../../monitoring/agent-keys/agent-keys.schemas.ts";
import {
  createArguments,
  MAX_LIFETIME,
  MIN_LIFETIME,
  createReply as newCodeReply,
} from "../../monitoring/enrolment/enrolment.schemas.ts";
import { HOUR, systemClock } from "../../platform/clock.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { dateText } from "../../platform/date-text.ts";
import type { RecordOf } from "../../platform/resources/resource.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { counted } from "../../platform/text.ts";
import { type ApiClient, apiClientOf, serverOptions } from "./api-client.ts";
import { checked } from "./checked.ts";
import type { Command, CommandLine, Io } from "./command.ts";
import { groupIds, hostIds, namesOf, tagsIn } from "./host-names.ts";
import { printedLine } from "./printed-line.ts";

const WHOSE = "someone who manages the key";
const SERVER = serverOptions(WHOSE);
const { entries } = agentKey.content;

type Key = RecordOf<typeof agentKey>;

/** A key as a line: its name, its hosts, its last use, and its ends. */
function lineOf({ name, hosts, lastused, ends, previousuntil, oldsecret }: Key, now: number): string {
  const notes = [
    ends === null ? "" : `${ends > now ? "ends" : "ended"} ${dateText(ends)}`,
    previousuntil === null ? "" : `${oldsecret} on the previous secret, until ${dateText(previousuntil)}`,
  ];
  const lastUse = lastused === null ? "never used" : dateText(lastused);
  return printedLine(name, counted(hosts, "host"), lastUse, ...notes.filter(Boolean));
}

/**
 * The seconds in an option of hours.
 * @param least @param most seconds
 * @param initial hours without the option
 * @throws ConfigError
 */
function secondsOf(
  args: CommandLine,
  flag: string,
  { least, most, initial }: { least: number; most: number; initial: number },
): number {
  const seconds = Math.round(Number(args.value(flag) ?? initial) * HOUR);
  if (seconds >= least && seconds <= most) return seconds;
  const from = least > 0 ? ` and at least ${counted(least, "second")}` : "";
  throw new ConfigError(`${flag} must be a number of hours, at most ${most / HOUR}${from}`);
}

const OVERLAP = { least: 0, most: MAX_OVERLAP, initial: 0 };
const LIFETIME = { least: MIN_LIFETIME, most: MAX_LIFETIME, initial: 24 };

async function keysOf(server: ApiClient): Promise<Key[]> {
  const { records } = await server.call("GET", "admin/keys/list", agentKey.list);
  return records as Key[];
}

/** The server, and the id of the key that the first operand names. @throws StartupError */
async function serverAndKey(args: CommandLine): Promise<{ server: ApiClient; id: number; name: string }> {
  const server = apiClientOf(args, WHOSE);
  const [name = ""] = args.operands;
  const key = (await keysOf(server)).find((candidate) => candidate.name === name);
  if (!key) throw new StartupError(`there is no key "${name}"`);
  return { server, id: key.id, name };
}

function printLines({ config, httpd, loopback }: v.InferOutput<typeof secretReply>, io: Io): void {
  if (loopback) io.complain("warning: other machines cannot reach this address");
  io.print(config);
  io.print(httpd);
}

export const keyCommands: Command[] = [
  {
    name: "key list",
    usesNoData: true,
    summary: "list the keys of agents on a running server",
    options: SERVER,
    run: async (args, io) => {
      for (const key of await keysOf(apiClientOf(args, WHOSE))) io.print(lineOf(key, systemClock.now()));
      return 0;
    },
  },
  {
    name: "key create",
    usesNoData: true,
    summary: "create a key, and print the lines for the control file of its agents",
    operands: ["NAME"],
    options: [
      ...SERVER,
      { flag: "--group", value: "NAME,...", doc: "host groups that its hosts join" },
      { flag: "--tag", value: "TAG,...", doc: "tags that its hosts get" },
      { flag: "--hosts", value: "PATTERN", doc: "only hosts with such names; * stands for any text" },
    ],
    run: async (args, io) => {
      const server = apiClientOf(args, WHOSE);
      const [name = ""] = args.operands;
      const { id } = await server.call("POST", "admin/keys/create", agentKey.created, {
        name: checked("NAME", entries.name, name),
        tags: tagsIn(args),
        hostpattern: checked("--hosts", entries.hostpattern, args.value("--hosts") ?? ""),
        hostgroups: await groupIds(server, namesOf(args.value("--group"))),
      });
      printLines(await server.call("POST", "admin/keys/secret", secretReply, { id }), io);
      return 0;
    },
  },
  {
    name: "key end",
    usesNoData: true,
    summary: "end a key: its messages are refused",
    operands: ["NAME"],
    options: [...SERVER, { flag: "--in", value: "HOURS", doc: "when (default now)" }],
    run: async (args, io) => {
      const overlap = secondsOf(args, "--in", OVERLAP);
      const { server, id, name } = await serverAndKey(args);
      const { ends } = await server.call("POST", "admin/keys/end", endReply, { id, overlap });
      io.print(`${name} ${overlap > 0 ? `ends ${dateText(ends)}` : "has ended"}`);
      return 0;
    },
  },
  {
    name: "key replace",
    usesNoData: true,
    summary: "give a key a new secret, and print the lines for the control file of its agents",
    operands: ["NAME"],
    options: [
      ...SERVER,
      { flag: "--overlap", value: "HOURS", doc: "how long the present secret is still accepted (default 0)" },
    ],
    run: async (args, io) => {
      const overlap = secondsOf(args, "--overlap", OVERLAP);
      const { server, id } = await serverAndKey(args);
      printLines(await server.call("POST", "admin/keys/replace", secretReply, { id, overlap }), io);
      return 0;
    },
  },
  {
    name: "key code",
    usesNoData: true,
    summary: "create an enrolment code of a key, and print the shell line that enrols a machine with it",
    operands: ["NAME"],
    options: [
      ...SERVER,
      { flag: "--uses", value: "COUNT", doc: "how many machines may use it (default 1)" },
      { flag: "--in", value: "HOURS", doc: "when it ends (default 24)" },
    ],
    run: async (args, io) => {
      const lifetime = secondsOf(args, "--in", LIFETIME);
      const uses = checked("--uses", createArguments.entries.uses, Number(args.value("--uses") ?? 1));
      const { server, id } = await serverAndKey(args);
      const { shell } = await server.call("POST", "admin/keys/codes/create", newCodeReply, {
        id,
        uses,
        lifetime,
      });
      if (!shell.includes("https://"))
        io.complain(
          "warning: the address is not https: codes are accepted only on Muster's machine, unless the settings allow plain http",
        );
      io.print(shell);
      return 0;
    },
  },
  {
    name: "key helper",
    usesNoData: true,
    summary:
      "print shell commands that let a host ask for its actions with a key, and lines for its control file",
    operands: ["NAME"],
    options: SERVER,
    run: async (args, io) => {
      const { server, id } = await serverAndKey(args);
      const { install, control, loopback } = await server.call("POST", "admin/keys/helper", helperReply, {
        id,
      });
      if (loopback) io.complain("warning: other machines cannot reach this address");
      io.print(install);
      // As comments, so that all of it can be piped into a shell.
      io.print(
        `# For the control file of Monit, followed by monit reload:\n${control.replaceAll(/^/gm, "# ")}`,
      );
      return 0;
    },
  },
  {
    name: "key move",
    usesNoData: true,
    summary: "move hosts to a key: each keeps its present key until its first message with the new one",
    operands: ["NAME"],
    options: [...SERVER, { flag: "--host", value: "NAME,...", doc: "the hosts" }],
    run: async (args, io) => {
      const names = namesOf(args.value("--host"));
      if (names.length === 0) throw new ConfigError("--host must name the hosts");
      const { server, id, name } = await serverAndKey(args);
      const hosts = await hostIds(server, names);
      const { moved } = await server.call("POST", "admin/keys/move", moveReply, { id, hosts });
      io.print(`${name} may take over ${counted(moved, "host")}`);
      return 0;
    },
  },
];
