import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Connections } from "../../../src/platform/http/connections.ts";
import { parseCidr, TrustedProxies } from "../../../src/platform/net/client-address.ts";

const PROXY = parseCidr("10.0.0.1");

class Peer extends EventEmitter {
  destroyed = false;

  constructor(readonly remoteAddress: string | undefined) {
    super();
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

function crowd(maxConnections: number, maxConnectionsPerSource: number) {
  const proxies = new TrustedProxies(PROXY ? [PROXY] : []);
  const connections = new Connections({ maxConnections, maxConnectionsPerSource, proxies });
  const add = (address: string | undefined) => {
    const peer = new Peer(address);
    return { peer, connection: connections.add(peer as unknown as Socket) };
  };
  return { connections, add };
}

test("a source that has too many connections loses its own oldest ones, and no one else's", () => {
  const { connections, add } = crowd(100, 3);
  const other = add("192.0.2.1");
  const greedy = Array.from({ length: 5 }, (_, i) => add(`2001:db8::${i}`));
  expect(greedy.map(({ peer }) => peer.destroyed)).toEqual([true, true, false, false, false]);
  expect(other.peer.destroyed).toBe(false);
  expect(connections.size).toBe(4);
});

test("programs on this machine, trusted proxies and unix sockets are not counted by source", () => {
  const { connections, add } = crowd(100, 3);
  const peers = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", undefined].flatMap((address) =>
    Array.from({ length: 6 }, () => add(address).peer),
  );
  expect(peers.filter(({ destroyed }) => destroyed)).toEqual([]);
  expect(connections.size).toBe(peers.length);
});

test("a connection whose request is being worked for is kept, one that owes its body is not", () => {
  const { add } = crowd(3, 3);
  const [first, second, third] = [add("192.0.2.1"), add("192.0.2.2"), add("192.0.2.3")];
  const outgoing = { writableEnded: false } as ServerResponse;
  const incoming = (headers: Record<string, string>, complete: boolean) =>
    ({ headers, complete }) as unknown as IncomingMessage;
  first.connection.current = { incoming: incoming({}, false), outgoing };
  second.connection.current = { incoming: incoming({ "content-length": "5" }, false), outgoing };
  third.connection.current = { incoming: incoming({ "content-length": "5" }, true), outgoing };
  const fourth = add("192.0.2.4");
  const destroyed = () => [first, second, third, fourth].map(({ peer }) => peer.destroyed);
  expect(destroyed()).toEqual([false, true, false, false]);
  // It has been waiting for its client since it came.
  add("192.0.2.5");
  expect(destroyed()).toEqual([false, true, false, true]);
});
