/** Large messages on a thread of their own: a real one. */
import { afterEach, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { InlineLargeMessages, WorkerLargeMessages } from "../../src/monitoring/collector/large-messages.ts";
import { messageWorkerUrl } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { agentXml, processXml } from "../support/agent-messages.ts";

const logged: string[] = [];
const log = createLog((line) => logged.push(line));
const threads: WorkerLargeMessages[] = [];

/** Longer than any reading takes, however busy the machine is. */
const PATIENT = { timeMs: 600_000, idleMs: 60_000 };

function thread(limits = PATIENT): WorkerLargeMessages {
  const made = new WorkerLargeMessages(() => new Worker(messageWorkerUrl()), log, limits);
  threads.push(made);
  return made;
}

afterEach(() => {
  for (const each of threads.splice(0)) each.stop();
  logged.length = 0;
});

const services = Array.from({ length: 500 }, (_, i) => ({ name: `app ${i}`, body: processXml() }));
const LARGE = Buffer.from(agentXml({ services }));

const said = (reading: Promise<unknown>) =>
  reading.then(String, (error) => `${error.name}: ${error.message}`);

describe("says what would be said at once", () => {
  const BODIES: [what: string, body: Uint8Array, isGzipped: boolean][] = [
    ["a message", LARGE, false],
    ["a compressed message", gzipSync(LARGE), true],
    ["what is no message", Buffer.from("<a/>"), false],
    ["what is damaged", gzipSync(LARGE).subarray(0, 500), true],
    ["what becomes too large", gzipSync(Buffer.alloc(33 * 1024 * 1024)), true],
    ["32 MiB of bare ampersands", gzipSync(Buffer.from(`<monit>${"&".repeat(31 * 1024 * 1024)}`)), true],
    ["millions of elements", gzipSync(Buffer.from(`<monit>${"<a/>".repeat(8_000_000)}`)), true],
    [
      "megabytes that are no UTF-8",
      Buffer.from(`<monit>\xff${"\xc3\xa9".repeat(1_500_000)}`, "latin1"),
      false,
    ],
  ];
  for (const [title, body, isGzipped] of BODIES)
    test(title, async () => {
      const inline = new InlineLargeMessages();
      const [threaded, other] = [thread().read(body, isGzipped), inline.read(body, isGzipped)];
      const [first, second] = await Promise.allSettled([threaded, other]);
      expect(first).toEqual(second);
    });
});

test("of many at once some are delayed, and later none is", async () => {
  const large = thread();
  const replies = await Promise.all(Array.from({ length: 20 }, () => said(large.read(LARGE, false))));
  expect(replies.filter((reply) => reply === "[object Object]")).toHaveLength(8);
  expect(replies.filter((reply) => reply.includes("Too many large messages came at once"))).toHaveLength(12);
  expect(await said(large.read(LARGE, false))).toBe("[object Object]");
});

test("reading that takes too long is given up, and the next message is read", async () => {
  const large = thread({ ...PATIENT, timeMs: 0 });
  expect(await said(large.read(LARGE, false))).toContain("takes too long");
  expect(large.isRunning).toBe(false);
  expect(await said(thread().read(LARGE, false))).toBe("[object Object]");
});

test("a failed thread fails the waiting requests, and another one is started", async () => {
  let failing = true;
  const broken = new URL("data:text/javascript,throw new Error('broken')");
  const large = new WorkerLargeMessages(() => new Worker(failing ? broken : messageWorkerUrl()), log);
  threads.push(large);
  expect(await said(large.read(LARGE, false))).toContain("could not be read");
  expect(logged.join()).toContain("the large-message worker failed");
  failing = false;
  expect(await said(large.read(LARGE, false))).toBe("[object Object]");
});

test("without large messages there is no thread", async () => {
  const large = thread({ ...PATIENT, idleMs: 0 });
  expect(large.isRunning).toBe(false);
  await large.read(LARGE, false);
  while (large.isRunning) await Bun.sleep(10);
});
