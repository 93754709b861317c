/** The worker thread that inflates and parses large messages, one at a time. */
import { giveWay } from "../platform/workers/give-way.ts";
import { type FromMessageWorker, outcomeOf, type ToMessageWorker } from "./message-worker.protocol.ts";

declare const self: Worker;

/** Size of a body, bytes, above which the garbage collector runs at once. */
const COLLECTED_AT_ONCE = 1024 * 1024;

giveWay();

self.onmessage = ({ data }: MessageEvent<ToMessageWorker>) => {
  const { id, body, isGzipped } = data;
  const reply: FromMessageWorker = { id, ...outcomeOf(body, isGzipped) };
  self.postMessage(reply);
  if (isGzipped || body.byteLength > COLLECTED_AT_ONCE) Bun.gc(true);
};
