/** Clients that connect as fast as they are answered do not keep one turn of the event loop going. */
import { dlopen, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/platform/config/config.ts";
import { AcceptTurns } from "../../../src/platform/http/accept-turns.ts";
import { Listener } from "../../../src/platform/http/listener.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("in a turn that takes long, nothing more is accepted until it ends", async () => {
  const calls: string[] = [];
  const note = (call: string) => () => void calls.push(call);
  const queues = { pause: note("pause"), resume: note("resume") };
  let now = 1000;
  const turns = new AcceptTurns(queues, () => now);
  const turnOf = async (milliseconds: number) => {
    turns.accepted();
    now += milliseconds;
    turns.accepted();
    turns.accepted();
    await nextTurn();
    return calls.splice(0);
  };
  expect(await turnOf(100)).toEqual([]);
  expect(await turnOf(101)).toEqual(["pause", "resume"]);
  expect(await turnOf(900)).toEqual(["pause", "resume"]);
  expect(await turnOf(100)).toEqual([]);
});

/** Connections after which the flood ends by itself: far more than can be answered in the time that a turn may accept. */
const FLOOD = 20_000;

/** Opens connections to a port of this machine and sends a request, all within one call. */
function flooder(port: number) {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    connect: { args: ["i32", "ptr", "u32"], returns: "i32" },
    send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    close: { args: ["i32"], returns: "i32" },
  });
  const [AF_INET, SOCK_STREAM, SOCK_NONBLOCK] = [2, 1, 0o4000];
  const [IPPROTO_TCP, TCP_INFO, TOTAL_RETRANSMITS] = [6, 11, 25];
  const address = new Uint8Array(16);
  address.set([AF_INET, 0, port >> 8, port & 255, 127, 0, 0, 1]);
  const request = Buffer.from("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const sockets: number[] = [];
  let unsent: number[] = [];
  let repeated = 0;
  const isUnsent = (socket: number) => symbols.send(socket, ptr(request), request.length, 0) < 0;
  const close = (socket: number) => {
    const [info, size] = [new Uint32Array(TOTAL_RETRANSMITS + 1), new Int32Array(1)];
    size[0] = info.byteLength;
    symbols.getsockopt(socket, IPPROTO_TCP, TCP_INFO, ptr(info), ptr(size));
    repeated += info[TOTAL_RETRANSMITS] ?? 0;
    symbols.close(socket);
  };
  return {
    open(): void {
      const socket = symbols.socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      // Within this machine a connection is complete at once, unless the kernel drops it.
      symbols.connect(socket, ptr(address), address.length);
      if (isUnsent(socket)) unsent.push(socket);
      sockets.push(socket);
      if (sockets.length > 100) close(sockets.shift() ?? -1);
    },
    /** Sends the requests of connections that were not complete at once. */
    send(): void {
      unsent = unsent.filter(isUnsent);
    },
    /** @returns how often the kernel sent something again, as it was dropped */
    close(): number {
      for (const socket of sockets.splice(0)) close(socket);
      return repeated;
    },
  };
}

type Flood = ReturnType<typeof flooder>;

/** Listens, and opens a connection before each response as long as `isFlooded` says so. */
async function floodedListener(address: string, isFlooded: () => boolean) {
  const config = readConfig(new Map([["--listen", address]]), {});
  const listener = await Listener.open((_, response) => {
    if (isFlooded()) flood.open();
    response.end();
  }, config);
  const flood: Flood = flooder(Number(listener.addresses[0]?.split(":").at(-1)));
  return { listener, flood };
}

test("a turn ends although another client connects before each one is answered, and no client has to try again", async () => {
  let answered = 0;
  const turnEnded = Promise.withResolvers<void>();
  const answeredAfterwards = Promise.withResolvers<void>();
  const { listener, flood } = await floodedListener("127.0.0.1:0", () => {
    if (answered++ === 0) setImmediate(turnEnded.resolve);
    if (hasEnded) answeredAfterwards.resolve();
    return answered < FLOOD;
  });
  let hasEnded = false;
  flood.open();
  await turnEnded.promise;
  expect(answered).toBeLessThan(FLOOD);
  hasEnded = true;
  const sending = setInterval(flood.send, 20);
  await answeredAfterwards.promise;
  clearInterval(sending);
  answered = FLOOD;
  expect(flood.close()).toBe(0);
  expect((await fetch(`http://${listener.addresses[0]}/`)).status).toBe(200);
  await listener.close();
});

test("a listener that is closed in such a turn lets go of its port", async () => {
  const closed = Promise.withResolvers<void>();
  let [answered, isFlooded] = [0, true];
  const { listener, flood } = await floodedListener("127.0.0.1:0", () => {
    if (!isFlooded) return false;
    // In the first turn, the fourth connection is accepted after more time than a turn may accept.
    Bun.sleepSync(40);
    isFlooded = ++answered < 4;
    if (!isFlooded) listener.close().then(closed.resolve, closed.reject);
    return isFlooded;
  });
  const address = listener.addresses[0] ?? "";
  flood.open();
  await closed.promise;
  flood.close();
  const next = await floodedListener(address, () => false);
  expect((await fetch(`http://${address}/`)).status).toBe(200);
  await next.listener.close();
});
