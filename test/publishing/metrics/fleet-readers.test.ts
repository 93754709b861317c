/** Readers of /metrics/fleet who are slow, or gone. */
import { expect, test } from "bun:test";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { FleetMetrics } from "../../../src/publishing/metrics/fleet-metrics.ts";
import { textStream } from "../../../src/publishing/metrics/text-format.ts";
import { eventually } from "../../e2e/support.ts";
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

test("a reader that is cut off is told so, and its place is freed once", async () => {
  const app = new TestApp();
  await app.report({});
  const snapshot = await new FleetMetrics(app.db, () => 0).read({ scope: "all" }, never);
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

test("a reader that leaves in the middle of a response leaves its place to others", async () => {
  const app = await largeApp();
  const user = await app.user();
  const server = createAdaptorServer({ fetch: app.app.fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const head = `GET /metrics/fleet HTTP/1.1\r\nHost: x\r\nCookie: ${user.cookie}\r\n\r\n`;
  const begun = () =>
    new Promise<ReturnType<typeof connect>>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(head));
      socket.once("data", () => {
        socket.pause();
        resolve(socket);
      });
    });
  try {
    const sockets = [await begun(), await begun()];
    expect((await user.get("/metrics/fleet")).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    const after = await eventually("there is a place", async () => {
      const reply = await user.get("/metrics/fleet");
      return reply.status === 200 && reply;
    });
    expect(after.text.length).toBeGreaterThan(8_000_000);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
