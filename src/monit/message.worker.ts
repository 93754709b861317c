/** The worker thread that inflates and parses large messages, one at a time. */
import { setPriority } from "node:os";
import { type FromMessageWorker, outcomeOf, type ToMessageWorker } from "./message-worker.protocol.ts";

declare const self: Worker;

/** Low, so that ordinary messages come first. Only on Linux is priority per thread. */
const NICENESS = 10;
/** Size of a body, bytes, above which the garbage collector runs at once. */
const COLLECTED_AT_ONCE = 1024 * 1024;

if (process.platform === "linux") setPriority(NICENESS);

self.onmessage = ({ data }: MessageEvent<ToMessageWorker>) => {
  const { id, body, isGzipped } = data;
  const reply: FromMessageWorker = { id, ...outcomeOf(body, isGzipped) };
  self.postMessage(reply);
  if (isGzipped || body.byteLength > COLLECTED_AT_ONCE) Bun.gc(true);
};
