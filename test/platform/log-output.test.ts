import { expect, test } from "bun:test";
import { LogOutput } from "../../src/platform/log-output.ts";

/** An output that accepts as many bytes as there is room for. */
function output(maxWaitingBytes: number) {
  const reader = { room: Number.POSITIVE_INFINITY, read: "", dropped: [] as number[] };
  const log = new LogOutput(
    (bytes) => {
      if (reader.room === 0) throw new Error("EAGAIN");
      const taken = Math.min(reader.room, bytes.length);
      reader.read += Buffer.from(bytes.subarray(0, taken)).toString();
      reader.room -= taken;
      return taken;
    },
    (lines) => {
      reader.dropped.push(lines);
      log.write(`dropped ${lines}`);
    },
    maxWaitingBytes,
  );
  return { log, reader };
}

test("lines are written at once while they are read", () => {
  const { log, reader } = output(100);
  log.write("first");
  log.write("zweite – ü");
  expect(reader.read).toBe("first\nzweite – ü\n");
  expect(log.waitingBytes).toBe(0);
});

test("unread lines wait up to a bound, later ones are dropped and counted, and the next reader learns how many", async () => {
  const { log, reader } = output(1000);
  reader.room = 15;
  const lines = Array.from({ length: 500 }, (_, i) => `line ${String(i).padStart(4, "0")}`);
  for (const line of lines) {
    log.write(line);
    expect(log.waitingBytes).toBeLessThanOrEqual(1000);
  }
  expect(reader.read).toBe("line 0000\nline ");
  reader.room = Number.POSITIVE_INFINITY;
  await log.close();
  const kept = 101;
  expect(reader.dropped).toEqual([lines.length - kept]);
  expect(reader.read).toBe(`${lines.slice(0, kept).join("\n")}\ndropped ${lines.length - kept}\n`);
  log.write("after");
  expect(reader.read).toEndWith("\nafter\n");
  expect(reader.dropped).toHaveLength(1);
});

test("the end does not wait for a reader who never comes", async () => {
  const { log, reader } = output(1000);
  reader.room = 0;
  log.write("unread");
  await log.close(0);
  expect([reader.read, log.waitingBytes]).toEqual(["", 7]);
});
