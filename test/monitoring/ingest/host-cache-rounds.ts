/**
 * How often hosts must be read again while a fleet reports. `bun test/monitoring/ingest/host-cache-rounds.ts` has
 * 20,000 hosts.
 */
import { MessageReader } from "../../../src/monitoring/ingest/reading.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";

interface Rounds {
  hosts: number;
  /** Hosts that are kept. */
  known: number;
  /** Hosts with a failing service that differs from message to message: none of their messages is a repetition. */
  failing: number;
  rounds: number;
}

/** All hosts report in turn, repeatedly. */
export async function reportRounds({ hosts, known, failing, rounds }: Rounds) {
  const app = new TestApp({ hostCache: { hosts: known, templates: 10 * known } });
  const reader = new MessageReader(app.hostCache);
  let [messages, repeats] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < hosts; i++) {
      const changes = i % Math.round(hosts / failing) === 0;
      const text = agentXml({ id: `agent-${i}`, services: [{ name: "app", status: changes ? round : 0 }] });
      const post = reader.read(Buffer.from(text), { receivedAt: app.clock.now(), source: "198.51.100.7" });
      if (!("message" in post)) repeats++;
      const added = app.queue.add(post);
      if (i % 100 === 99 || i === hosts - 1) app.queue.drain();
      if (i === hosts - 1) await added;
      messages++;
    }
    app.clock.step(1);
  }
  return { messages, repeats, ...app.hostCache.usage };
}

if (import.meta.main) {
  for (const failing of [200, 2000, 10_000, 20_000])
    console.log(failing, await reportRounds({ hosts: 20_000, known: 10_000, failing, rounds: 4 }));
}
