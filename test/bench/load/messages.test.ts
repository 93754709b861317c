import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import { FAILING_SERVICE } from "./agents.ts";
import { type AgentEvent, RequestMaker } from "./messages.ts";

const NOW = 1_790_000_000;

function sent(maker: RequestMaker, agent: number, failing = false, event: AgentEvent | null = null) {
  const request = maker.make(agent, NOW, failing, event);
  const bodyAt = request.indexOf("\r\n\r\n") + 4;
  const head = request.toString("latin1", 0, bodyAt);
  expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(request.byteLength - bodyAt);
  // A copy, since the maker reuses its memory.
  return parseAgentMessage(gunzipSync(Buffer.from(request.subarray(bodyAt))));
}

const maker = () => new RequestMaker({ password: "secret", incarnation: NOW - 1000, poll: 30 });

test("each agent sends a sound message under its own name, also when it shares the numbers of another", () => {
  const requests = maker();
  for (const agent of [0, 7, 71, 99_999]) {
    const message = sent(requests, agent);
    expect(message.agentId).toBe(`bench-agent-${agent}`);
    expect(message.server.hostname).toBe(`host-${agent}`);
    expect(message.incarnation).toBe(NOW - 1000);
    expect(message.services).toHaveLength(3 + 1 + ((agent % 64) % 4) + 3 + ((agent % 64) % 5));
    expect(message.services[0]?.name).toBe(`host-${agent}`);
    expect(message.events).toEqual([]);
  }
});

test("a failing service shows as failing, in the message with its event and in those without", () => {
  const requests = maker();
  const event = { at: NOW, number: 42, isError: true };
  for (const message of [sent(requests, 3, true, event), sent(requests, 3, true)])
    expect(message.services.find(({ name }) => name === FAILING_SERVICE)?.status).toBe(512);
  expect(sent(requests, 3, true, event).events[0]).toMatchObject({
    service: FAILING_SERVICE,
    state: 1,
    eventType: 512,
    collectedSec: NOW,
    collectedUsec: 42,
  });
  expect(sent(requests, 3).services.every(({ status }) => status === 0)).toBe(true);
});
