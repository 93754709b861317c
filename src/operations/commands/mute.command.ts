import { spawn } from "node:child_process";
import { constants } from "node:os";
import * as v from "valibot";
import { grace as graceSchema, muteArguments } from "../../alerting/maintenance/mutes.schemas.ts";
import { withoutEmpty } from "../../monitoring/places/place-filter.ts";
import { ConfigError } from "../../platform/config/values.ts";
import { counted, cut, reasonOf } from "../../platform/text.ts";
import { apiClientOf, serverOptions } from "./api-client.ts";
import { checked } from "./checked.ts";
import type { Command, Io } from "./command.ts";
import { groupIds, hostIds, namesOf, tagsIn } from "./host-names.ts";

const created = v.object({ id: v.number() });
/** The arguments of the operation. */
const { entries } = muteArguments;
const WHOSE = "someone who may mute the hosts";
/** Milliseconds between two renewals of the lease, which lasts three minutes. */
const RENEWAL_MS = 60_000;
/** The most characters of a command that are kept as the note of its mute: a note has no room for more. */
const MAX_NOTE = 255;
/** Exit code of a shell for a program that cannot be started. */
const NOT_STARTED = 127;
/** Signals that end this process are passed on: it ends after the program, to release the mute. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a program on this terminal. @returns its exit code, as a shell reports it */
function run([program = "", ...args]: readonly string[], io: Io): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "inherit" });
    const passOn = (signal: NodeJS.Signals) => {
      // A terminal sends SIGINT to the program too.
      if (signal !== "SIGINT") child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, passOn);
    const end = (code: number) => {
      for (const signal of SIGNALS) process.off(signal, passOn);
      resolve(code);
    };
    child.on("error", (error) => {
      io.complain(`${program}: ${error.message}`);
      end(NOT_STARTED);
    });
    child.on("exit", (code, signal) => end(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/** A failed call is only reported: the program continues, and the lease expires on its own. */
async function attempt(call: Promise<unknown>, io: Io): Promise<void> {
  try {
    await call;
  } catch (error) {
    io.complain(reasonOf(error));
  }
}

export const muteCommand: Command = {
  name: "mute",
  usesNoData: true,
  summary: "mute hosts or groups of a running server, for minutes or while a command runs",
  startsProgram: true,
  options: [
    ...serverOptions(WHOSE),
    { flag: "--host", value: "NAME,...", doc: "only these hosts" },
    { flag: "--group", value: "NAME,...", doc: "only members of these host groups" },
    { flag: "--tag", value: "TAG,...", doc: "only hosts with these tags" },
    { flag: "--service", value: "NAME,...", doc: "only services with these names; * stands for any text" },
    { flag: "--minutes", value: "N", doc: "how long to mute, instead of running a command" },
    {
      flag: "--grace",
      value: "MINUTES",
      doc: "how long hosts may take to recover after the command (default 15)",
    },
    { flag: "--note", value: "TEXT", doc: "the reason (default: the command)" },
  ],
  run: async (args, io) => {
    const { program } = args;
    const minutes = args.value("--minutes");
    if (program.length > 0 === (minutes !== undefined))
      throw new ConfigError("either --minutes or -- and a command must be given");
    if (!["--host", "--group", "--tag", "--service"].some((flag) => args.has(flag)))
      throw new ConfigError("--host, --group, --tag or --service must say what is muted");
    const grace = args.value("--grace");
    const server = apiClientOf(args, WHOSE);
    const mute: v.InferInput<typeof muteArguments> = {
      filter: withoutEmpty({
        hosts: await hostIds(server, namesOf(args.value("--host"))),
        hostgroups: await groupIds(server, namesOf(args.value("--group"))),
        tags: tagsIn(args),
        servicenames: namesOf(args.value("--service")),
      }),
      note: checked("--note", entries.note, args.value("--note") ?? cut(program.join(" "), MAX_NOTE)),
      ...(minutes !== undefined
        ? { minutes: checked("--minutes", entries.minutes, Number(minutes)) }
        : { lease: grace === undefined ? {} : { grace: checked("--grace", graceSchema, Number(grace)) } }),
    };
    const { id } = await server.call("POST", "mutes/create", created, mute);
    if (minutes !== undefined) {
      io.print(`muted for ${counted(Number(minutes), "minute")}`);
      return 0;
    }
    const call = (operation: string) => attempt(server.call("POST", operation, v.unknown(), { id }), io);
    const renewal = setInterval(() => void call("mutes/renew"), RENEWAL_MS);
    const code = await run(program, io);
    clearInterval(renewal);
    await call("mutes/release");
    return code;
  },
};
