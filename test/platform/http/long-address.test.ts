/** Requests whose address is longer than the HTTP server takes. */
import { expect, test } from "bun:test";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { readConfig } from "../../../src/platform/config/config.ts";
import { Listener } from "../../../src/platform/http/listener.ts";

test("an address and headers of 16 KiB are accepted, and more is answered 431 without a body", async () => {
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const listener = await Listener.open((_request, reply) => void reply.end("accepted"), config);
  const port = Number(listener.addresses[0]?.split(":").at(-1));
  const answerTo = async (length: number) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const end = " HTTP/1.1\r\nHost: muster.test\r\nConnection: close\r\n\r\n";
    const begin = "GET /api/1/status/hosts/list?";
    socket.write(begin + "h".repeat(length - begin.length - end.length) + end);
    const [head = "", body] = (await text(socket)).split("\r\n\r\n");
    socket.destroy();
    return [head.split(" ")[1], body];
  };
  try {
    expect(await answerTo(16 * 1024 - 100)).toEqual(["200", "accepted"]);
    expect(await answerTo(16 * 1024 + 100)).toEqual(["431", ""]);
  } finally {
    await listener.close();
  }
});
