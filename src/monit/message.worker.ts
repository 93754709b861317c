/** The thread that inflates and reads large messages, one after the other. */
import { setPriority } from "node:os";
import { type FromMessageWorker, outcomeOf, type ToMessageWorker } from "./message-worker.protocol.ts";

declare const self: Worker;

/** Where there are fewer processors than threads, ordinary messages come first. On Linux it is this thread's alone. */
const NICENESS = 10;
/** What was larger than so many bytes leaves so much behind that it is worth to collect it at once. */
const COLLECTED_AT_ONCE = 1024 * 1024;

if (process.platform === "linux") setPriority(NICENESS);

self.onmessage = ({ data }: MessageEvent<ToMessageWorker>) => {
  const { id, body, isGzipped } = data;
  const said: FromMessageWorker = { id, ...outcomeOf(body, isGzipped) };
  self.postMessage(said);
  if (isGzipped || body.byteLength > COLLECTED_AT_ONCE) Bun.gc(true);
};
