import { type ChildProcess, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { clean, cutBytes } from "../../../platform/text.ts";
import type { AlertMessage, Answer, ChannelKind } from "./channel-kind.ts";
import { payloadOf } from "./template.ts";

/** Of what a program writes no more than this is kept, bytes. */
const MAX_OUTPUT = 4096;
/** How long after its end what a program wrote is waited for, milliseconds. */
const OUTPUT_GRACE_MS = 500;
/** Linux takes a little over 128 KiB for one variable; bytes. */
const MAX_VARIABLE = 32 * 1024;

/** Everything of a message as variables; those of an event are of the first one. */
function environmentOf({
  id,
  kind,
  rule,
  title,
  text,
  url,
  at,
  events,
}: AlertMessage): Record<string, string> {
  const [event] = events;
  const values = {
    ID: id,
    KIND: kind,
    RULE: rule,
    TITLE: title,
    TEXT: text,
    URL: url ?? "",
    DATE: String(at),
    EVENTS: String(events.length),
    HOST: event?.hostname ?? "",
    HOST_ID: String(event?.hostId ?? ""),
    SERVICE: event?.service ?? "",
    TYPE: event?.type ?? "",
    STATE: event?.state ?? "",
    MESSAGE: event?.message ?? "",
    EVENT_ID: String(event?.id ?? ""),
    KEY: event?.key ?? "",
  };
  const variables = Object.entries(values).map(([name, value]) => [
    `MUSTER_${name}`,
    cutBytes(clean(value), MAX_VARIABLE),
  ]);
  return { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", ...Object.fromEntries(variables) };
}

/** Ends the program with everything that it started. */
function killGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // All of it has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Collects the first bytes of what a program writes, and reads on so that it is not held up. */
function collect(child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      if (size < MAX_OUTPUT) chunks.push(chunk.subarray(0, MAX_OUTPUT - size));
      size += chunk.length;
    });
  return () => Buffer.concat(chunks).subarray(0, MAX_OUTPUT).toString("utf8");
}

/** It is refused to start: trying again is of no use until somebody mends it. */
const REFUSED = new Set(["ENOENT", "EACCES", "ENOTDIR", "ENOEXEC", "EPERM", "EISDIR"]);

/** Starts it in a group of its own, so that what it starts in turn can be ended with it. */
function start(program: string, message: AlertMessage): ChildProcess | Error {
  try {
    return spawn(program, [], { cwd: "/", env: environmentOf(message), detached: true });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function notStarted(error: NodeJS.ErrnoException): Answer {
  return { outcome: REFUSED.has(error.code ?? "") ? "refused" : "failed", detail: error.message };
}

function run(program: string, message: AlertMessage, timeLimit: number): Promise<Answer> {
  const child = start(program, message);
  if (child instanceof Error) return Promise.resolve(notStarted(child));
  return new Promise((resolve) => {
    const output = collect(child);
    const notified = (what: string) => [what, output()].filter(Boolean).join(": ");
    let ended = (): Answer => ({
      outcome: "unknown",
      detail: notified(`ended after ${timeLimit / 1000} seconds`),
    });
    const done = () => {
      clearTimeout(limit);
      killGroup(child);
      resolve(ended());
    };
    let limit = setTimeout(done, timeLimit);
    child.on("error", (error: NodeJS.ErrnoException) => {
      ended = () => notStarted(error);
      done();
    });
    child.on("exit", (code, signal) => {
      const what = code === null ? `ended by ${signal}` : `exit code ${code}`;
      ended = () => ({ outcome: code === 0 ? "sent" : "failed", detail: notified(what) });
      // Who left the group could hold its output open for good.
      clearTimeout(limit);
      killGroup(child);
      limit = setTimeout(done, OUTPUT_GRACE_MS);
    });
    child.on("close", done);
    // A program need not read what it is given.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(payloadOf(message)));
  });
}

/** A program on this machine. */
export const exec: ChannelKind = {
  kind: "exec",
  label: "Program",
  grouped: true,
  exec: true,
  fields: [
    {
      name: "program",
      label: "Program",
      type: "text",
      required: true,
      doc: "path of an executable file on the machine that Muster runs on; it is started without arguments",
    },
  ],
  check: ({ program = "" }) =>
    isAbsolute(program) ? null : { field: "program", allowed: "an absolute path" },
  send: async ({ program = "" }, message, { exec: isAllowed, timeLimit }) => {
    if (!isAllowed)
      return { outcome: "refused", detail: "Programs may be started only with --allow-exec yes" };
    return await run(program, message, timeLimit);
  },
};
