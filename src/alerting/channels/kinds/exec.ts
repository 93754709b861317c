import { type ChildProcess, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import type { Egress } from "../../../platform/egress/egress.ts";
import { clean, cutBytes } from "../../../platform/text.ts";
import { PROGRAM } from "../program.ts";
import type { AlertMessage, Answer, ChannelKind } from "./channel-kind.ts";
import { textField } from "./fields.ts";
import { payloadOf, textsOf } from "./template.ts";

/** The most output of the program that is kept, bytes. */
const MAX_OUTPUT = 4096;
/** How long to wait for remaining output after the program ended, milliseconds. */
const OUTPUT_GRACE_MS = 500;
/** Bytes. Linux allows a little over 128 KiB in one variable. */
const MAX_VARIABLE = 32 * 1024;

/** Names of variables that differ from those of the texts. */
const VARIABLES: Readonly<Record<string, string>> = { acknowledgeurl: "ACKNOWLEDGE_URL" };

/** The message as environment variables. Variables about an event describe the first one. */
function environmentOf(message: AlertMessage): Record<string, string> {
  const { at, events } = message;
  const [event] = events;
  const texts = Object.entries(textsOf(message));
  const values = {
    ...Object.fromEntries(texts.map(([name, text]) => [VARIABLES[name] ?? name.toUpperCase(), text])),
    DATE: String(at),
    EVENTS: String(events.length),
    HOST_ID: String(event?.hostId ?? ""),
    EVENT_ID: String(event?.id ?? ""),
  };
  const variables = Object.entries(values).map(([name, value]) => [
    `MUSTER_${name}`,
    cutBytes(clean(value), MAX_VARIABLE),
  ]);
  return { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", ...Object.fromEntries(variables) };
}

/** Kills the program and everything that it started. */
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
    // ESRCH: the whole group has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Keeps the first bytes of the program's output. It reads the rest too, so that the program never blocks on the pipe.
 */
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

/** Errors of starting the program that a retry cannot mend. */
const REFUSED = new Set(["ENOENT", "EACCES", "ENOTDIR", "ENOEXEC", "EPERM", "EISDIR"]);

/** Starts the program in its own process group, so that its children can be killed with it. */
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

function run(program: string, message: AlertMessage, { timeLimit, startTimer }: Egress): Promise<Answer> {
  const child = start(program, message);
  if (child instanceof Error) return Promise.resolve(notStarted(child));
  return new Promise((resolve) => {
    const output = collect(child);
    const notified = (reason: string) => [reason, output()].filter(Boolean).join(": ");
    let ended = (): Answer => ({
      outcome: "unknown",
      detail: notified(`ended after ${timeLimit / 1000} seconds`),
    });
    const done = () => {
      cancel();
      killGroup(child);
      resolve(ended());
    };
    let cancel = startTimer(done, timeLimit);
    child.on("error", (error: NodeJS.ErrnoException) => {
      ended = () => notStarted(error);
      done();
    });
    child.on("exit", (code, signal) => {
      const reason = code === null ? `ended by ${signal}` : `exit code ${code}`;
      ended = () => ({ outcome: code === 0 ? "sent" : "failed", detail: notified(reason) });
      // A child that left the process group could keep the pipe open forever.
      cancel();
      killGroup(child);
      cancel = startTimer(done, OUTPUT_GRACE_MS);
    });
    child.on("close", done);
    // EPIPE is not an error here: a program need not read its input.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify(payloadOf(message)));
  });
}

/** Runs a program on this machine. */
export const exec: ChannelKind = {
  kind: PROGRAM,
  label: "Program",
  grouped: true,
  exec: true,
  fields: [
    textField(
      "program",
      "Program",
      "path of an executable file on the machine that Muster runs on; it is started without arguments",
    ),
  ],
  check: ({ program = "" }) =>
    isAbsolute(program) ? null : { field: "program", allowed: "an absolute path" },
  send: async ({ program = "" }, message, egress) => {
    if (!egress.exec)
      return { outcome: "refused", detail: "Programs may be started only with --allow-exec yes" };
    return await run(program, message, egress);
  },
};
