/** Clients that connect as fast as they are answered do not keep one turn of the event loop going. */
import { dlopen, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { readConfig } from "../../../src/platform/config/config.ts";
import { AcceptTurns } from "../../../src/platform/http/accept-turns.ts";
import { Listener } from "../../../src/platform/http/listener.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a turn that takes long shuts the queues until it ends, and they are long again after one that does not", async () => {
  const calls: string[] = [];
  const note = (call: string) => () => void calls.push(call);
  const queues = { shut: note("shut"), open: note("open"), lengthen: note("lengthen") };
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
  expect(await turnOf(250)).toEqual([]);
  expect(await turnOf(251)).toEqual(["shut", "open"]);
  expect(await turnOf(900)).toEqual(["shut", "open"]);
  expect(await turnOf(250)).toEqual(["lengthen"]);
  expect(await turnOf(250)).toEqual([]);
});

/** Connections after which the flood ends by itself: far more than can be answered in the time that a turn may accept. */
const FLOOD = 20_000;

/** Opens connections to a port of this machine and sends a request, all within one call. */
function flooder(port: number) {
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    connect: { args: ["i32", "ptr", "u32"], returns: "i32" },
    send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  const [AF_INET, SOCK_STREAM, SOCK_NONBLOCK] = [2, 1, 0o4000];
  const address = new Uint8Array(16);
  address.set([AF_INET, 0, port >> 8, port & 255, 127, 0, 0, 1]);
  const request = Buffer.from("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const sockets: number[] = [];
  return {
    open(): void {
      const socket = symbols.socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      // Within this machine a connection is complete at once, unless the kernel drops it.
      symbols.connect(socket, ptr(address), address.length);
      symbols.send(socket, ptr(request), request.length, 0);
      sockets.push(socket);
      if (sockets.length > 100) symbols.close(sockets.shift() ?? -1);
    },
    close(): void {
      for (const socket of sockets.splice(0)) symbols.close(socket);
    },
  };
}

test("a turn ends although another client connects before each one is answered", async () => {
  let answered = 0;
  const { promise: turnEnded, resolve } = Promise.withResolvers<void>();
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const listener = await Listener.open((_, response) => {
    if (answered++ === 0) setImmediate(resolve);
    if (answered < FLOOD) flood.open();
    response.end();
  }, config);
  const flood = flooder(Number(listener.addresses[0]?.split(":").at(-1)));
  flood.open();
  await turnEnded;
  expect(answered).toBeLessThan(FLOOD);
  answered = FLOOD;
  flood.close();
  expect((await fetch(`http://${listener.addresses[0]}/`)).status).toBe(200);
  await listener.close();
});
