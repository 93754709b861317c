import { parseAgentMessage } from "../../src/monit/message.ts";
import { agentXml } from "../support/agent-messages.ts";

export const parse = (xml: string) => parseAgentMessage(Buffer.from(xml));

/** A message with one of everything. */
export const FULL = agentXml({
  hostGroups: ["Oslo", "Bergen & co"],
  services: [{ name: "web", every: 2 }, { name: "db" }],
  serviceGroups: { app: ["web", "db"] },
  event: { service: "web" },
});

/** The full message with one part replaced, which must have been there. */
export function altered(from: string, to: string): string {
  if (!FULL.includes(from)) throw new Error(`${from} is not in the message`);
  return FULL.replace(from, to);
}
