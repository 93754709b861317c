/** The thread that answers long questions, over a connection of its own that cannot write. */
import { setPriority } from "node:os";
import { systemClock } from "../clock.ts";
import { closeReadOnly, openReadOnly } from "../database/open.ts";
import { databaseTrouble } from "../database/trouble.ts";
import { ApiError } from "../http/errors.ts";
import { StoredSettings } from "../settings/stored-settings.ts";
import { prepare } from "./answer.ts";
import { type Asked, CLOSE, CLOSED, type Failure, type FromReader, type ToReader } from "./protocol.ts";
import { questionsOver } from "./questions.ts";

declare const self: Worker;

/** Where there are fewer processors than threads, agents' messages come first. On Linux it is this thread's alone. */
const NICENESS = 10;

function failureOf(id: number, error: unknown): Failure {
  if (error instanceof ApiError) {
    const { status, code, message } = error;
    return { id, kind: "refused", status, code, message };
  }
  const trouble = databaseTrouble(error);
  if (trouble !== null) return { id, kind: "trouble", message: trouble };
  return {
    id,
    kind: "failed",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

function serveQuestions(database: string): void {
  if (process.platform === "linux") setPriority(NICENESS);
  const db = openReadOnly(database);
  const questions = questionsOver(db, new StoredSettings(db), systemClock);
  const say = (message: FromReader, transfer: ArrayBuffer[] = []) => self.postMessage(message, transfer);

  /** All that a question reads, it reads of one moment. */
  function answer({ id, name, args }: Asked): void {
    try {
      const question = questions[name] as (...given: unknown[]) => unknown;
      const { body, headers } = prepare(db.$client.transaction(() => question(...args)).deferred());
      say({ id, body, headers }, [body.buffer]);
    } catch (error) {
      say(failureOf(id, error));
    }
  }

  self.onmessage = ({ data }: MessageEvent<ToReader>) => {
    if (data === CLOSE) {
      closeReadOnly(db);
      say(CLOSED);
    } else if (Date.now() < data.until) answer(data);
  };
}

serveQuestions(process.argv.at(-1) ?? "");
