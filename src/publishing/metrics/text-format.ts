/** Streams a snapshot in the Prometheus text format, holding only one chunk in memory. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FleetSnapshot } from "./fleet-snapshot.ts";
import { family, labelPairs } from "./metrics.ts";

/** Characters per chunk: about a millisecond of work. */
const CHUNK = 64 * 1024;

function* lines(snapshot: FleetSnapshot): Generator<string> {
  // Formatted once per label set, since most sets belong to many series.
  const texts: (string | undefined)[] = [];
  for (const samples of snapshot.families) {
    const { name, kind, help } = samples.definition;
    yield* family(name, kind, help, []);
    for (const { set, descriptor, value } of snapshot.pointsOf(samples)) {
      let pairs = texts[set];
      if (pairs === undefined) {
        pairs = labelPairs(snapshot.labels[set] ?? {});
        texts[set] = pairs;
      }
      if (descriptor !== "") yield `${name}{${pairs},${labelPairs({ descriptor })}} ${value}`;
      else yield pairs === "" ? `${name} ${value}` : `${name}{${pairs}} ${value}`;
    }
  }
}

/**
 * The text of a snapshot as a stream.
 * @param signal ends the stream early, with its reason
 * @param onEnd called once, however the stream ends
 */
export function textStream(
  snapshot: FleetSnapshot,
  signal: AbortSignal,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const source = lines(snapshot);
  const encoder = new TextEncoder();
  const ended = new AbortController();
  const end = () => {
    if (ended.signal.aborted) return;
    ended.abort();
    onEnd();
  };
  return new ReadableStream({
    start(controller) {
      const cut = () => {
        controller.error(signal.reason);
        end();
      };
      signal.addEventListener("abort", cut, { once: true, signal: ended.signal });
    },
    async pull(controller) {
      // A client that keeps up must not keep the event loop busy.
      await nextTurn();
      if (ended.signal.aborted) return;
      let text = "";
      while (text.length < CHUNK) {
        const next = source.next();
        if (next.done) break;
        text += `${next.value}\n`;
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      else {
        controller.close();
        end();
      }
    },
    cancel: end,
  });
}
