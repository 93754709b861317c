/** Readers of /metrics/fleet that are slow, or gone. */
import { expect, test } from "bun:test";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { textStream } from "../../../src/publishing/metrics/text-format.ts";
import { TestApp } from "../../support/app.ts";

const never = new AbortController().signal;

/** More of a fleet than the buffers of a connection take. */
async function largeApp(): Promise<TestApp> {
  const app = new TestApp();
  const services = Array.from({ length: 400 }, (_, i) => ({
    name: `a service with a long name, number ${i}`,
  }));
  for (let i = 0; i < 60; i++)
    await app.report({ id: `agent-${i}`, hostname: `a host with a long name, number ${i}`, services });
  return app;
}

test("a disconnected reader gets an error, and its slot is freed once", async () => {
  const app = new TestApp();
  await app.report({});
  const snapshot = await app.muster.fleetMetrics.read("test", { scope: "all" }, never);
  for (const when of ["before", "between", "after"]) {
    let ends = 0;
    const patience = new AbortController();
    const reader = textStream(snapshot, patience.signal, () => ends++).getReader();
    if (when !== "before") expect((await reader.read()).done).toBe(false);
    if (when === "after") expect((await reader.read()).done).toBe(true);
    patience.abort(new Error("too slow"));
    const last = await reader.read().catch((error: Error) => error.message);
    expect([when, last]).toEqual([when, when === "after" ? { done: true, value: undefined } : "too slow"]);
    await reader.cancel().catch(() => undefined);
    expect([when, ends]).toEqual([when, 1]);
  }
});

test("a HEAD request takes no place from the caller's next request", async () => {
  const app = new TestApp();
  await app.report({});
  const user = await app.user();
  const { status, headers } = await user.raw("/metrics/fleet", { method: "HEAD" });
  expect([status, headers.get("Content-Type")]).toEqual([200, expect.stringContaining("text/plain")]);
  expect((await user.get("/metrics/fleet")).status).toBe(200);
});

test("slow readers keep only themselves waiting, and leave their place when they go", async () => {
  const app = await largeApp();
  const [user, admin] = [await app.user(), await app.admin()];
  const server = createAdaptorServer({ fetch: app.app.fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const head = `GET /metrics/fleet HTTP/1.1\r\nHost: x\r\nCookie: ${user.cookie}\r\n\r\n`;
  const sockets: ReturnType<typeof connect>[] = [];
  /** Sends a request and reads only the beginning of the reply. @returns when that has come */
  const slow = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      sockets.push(socket);
      socket.once("data", () => {
        socket.pause();
        resolve();
      });
    });
  try {
    const first = slow();
    let begun = 0;
    for (let i = 0; i < 3; i++) void slow().then(() => begun++);
    await first;
    const other = await admin.get("/metrics/fleet");
    expect([other.status, begun]).toEqual([200, 0]);
    expect(other.text.length).toBeGreaterThan(8_000_000);
    for (const socket of sockets) socket.destroy();
    const after = await user.get("/metrics/fleet");
    expect([after.status, after.text.length]).toEqual([200, other.text.length]);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
