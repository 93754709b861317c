/** Replies as long as they may be. */
import { expect, test } from "bun:test";
import { MAX_FILE_BYTES } from "../../../src/operations/transfer/transfer.routes.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { Listener } from "../../../src/platform/http/listener.ts";

test("the largest export reaches its client", async () => {
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const body = Buffer.alloc(MAX_FILE_BYTES);
  const listener = await Listener.open((_request, reply) => void reply.end(body), config);
  try {
    const reply = await fetch(`http://${listener.addresses[0]}/`);
    expect((await reply.arrayBuffer()).byteLength).toBe(MAX_FILE_BYTES);
  } finally {
    await listener.close();
  }
});
