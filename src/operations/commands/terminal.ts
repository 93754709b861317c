import { writeSync } from "node:fs";
import { fileReason } from "../../platform/files/file-reason.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { codeOf } from "../../platform/text.ts";
import type { Io } from "./command.ts";

const STDOUT = 1;
/** Pause before another attempt to write what the reader of a non-blocking pipe has no room for, milliseconds. */
const RETRY_MS = 10;

/** Writes a line completely before it returns: the runtime's own stream reports no error. */
function print(line: string, isOnlyCopy = false): void {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0)
    try {
      rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      const code = codeOf(error);
      // The reader has seen enough, as head does.
      if (code === "EPIPE" && !isOnlyCopy) return;
      if (code !== "EAGAIN") throw new StartupError(`the output cannot be written: ${fileReason(error)}`);
      Bun.sleepSync(RETRY_MS);
    }
}

/** Reads the first line from a pipe or file. */
async function readPiped(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? "";
}

const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";
const END = "\u0004";
const ERASE = new Set(["\u007f", "\b"]);

/** Reads a line from the terminal without echo. */
async function readTyped(prompt: string): Promise<string> {
  const { stdin, stdout } = process;
  // Before the prompt is printed: until then, the terminal would echo what is typed.
  stdin.setRawMode(true).setEncoding("utf8").resume();
  stdout.write(prompt);
  try {
    return await new Promise<string>((resolve, reject) => {
      let line = "";
      const take = (chunk: string) => {
        for (const key of chunk) {
          if (ENTER.test(key)) return resolve(line);
          if (key === INTERRUPT || key === END)
            return reject(new StartupError("cancelled; nothing was changed"));
          line = ERASE.has(key) ? [...line].slice(0, -1).join("") : line + key;
        }
      };
      stdin.on("data", take);
    });
  } finally {
    stdin.removeAllListeners("data").setRawMode(false).pause();
    stdout.write("\n");
  }
}

async function readSecret(prompt: string, kind: "new" | "known" = "new"): Promise<string> {
  if (!process.stdin.isTTY) return readPiped();
  const line = await readTyped(`${prompt}: `);
  if (kind === "known") return line;
  if ((await readTyped(`${prompt} again: `)) !== line)
    throw new StartupError("the passwords differ; nothing was changed");
  return line;
}

export const terminal: Io = {
  print,
  complain: (line) => console.error(`muster: ${line}`),
  readSecret,
  ...(process.stdout.isTTY && { progress: (line) => process.stdout.write(`\r${line}\u001b[K`) }),
};
