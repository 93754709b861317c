/** The requests of the executable to other systems: its dead-man ping and its metrics. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { TestClient } from "../support/client.ts";
import { Receiver } from "../support/receiver.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

let folder: ReturnType<typeof temporaryFolder>;
let receiver: Receiver;
let muster: Muster;
let admin: TestClient;

beforeEach(async () => {
  folder = temporaryFolder();
  receiver = new Receiver();
  muster = await Muster.start({ cwd: folder.path, args: ["--channel-reach", "loopback"] });
  await muster.report({ hostname: "web1", services: [{ name: "nginx", status: 512 }] });
  admin = await muster.admin();
});

afterEach(async () => {
  await muster?.kill();
  receiver.close();
  folder.remove();
});

test("settings turn both on, while it runs", async () => {
  const settings = {
    heartbeaturl: `${receiver.url}/ping`,
    otlpurl: `${receiver.url}/v1/metrics`,
    otlpheaders: "X-Key=abc",
  };
  expect((await admin.post("/api/1/admin/settings/update", settings)).status).toBe(200);
  const ping = await eventually("the heartbeat", () =>
    receiver.requests.find(({ path }) => path === "/ping"),
  );
  expect(ping.method).toBe("GET");
  const push = await eventually("a push", () => receiver.requests.find(({ path }) => path === "/v1/metrics"));
  expect(push.headers.get("X-Key")).toBe("abc");
  expect(push.body).toContain("muster_service_failing");
  expect(push.body).toContain("web1");
  await eventually("both are counted", async () => {
    const { text } = await admin.get("/metrics");
    return ["heartbeat", "otlp"].every((to) =>
      text.includes(`muster_outgoing_requests_total{to="${to}",result="ok"} 1`),
    );
  });
});

test("it stops though somebody does not answer", async () => {
  receiver.answer = () => new Promise(() => undefined);
  await admin.post("/api/1/admin/settings/update", { heartbeaturl: `${receiver.url}/slow` });
  await eventually("it waits", () => receiver.requests.find(({ path }) => path === "/slow"));
  expect(await muster.stop()).toBe(0);
});
