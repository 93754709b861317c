import { randomUUID } from "node:crypto";
import type { AlertMessage } from "./kinds/channel-kind.ts";

/** The message of a channel test: a problem with one made-up event. @param at unix seconds */
export function testMessage(at: number, baseUrl: URL | null): AlertMessage {
  const id = randomUUID();
  return {
    id,
    kind: "test",
    rule: "Test",
    title: "Test message from Muster",
    text: "This is a test. Nothing has happened; messages through this channel arrive.",
    events: [
      {
        id: 0,
        hostId: 0,
        hostname: "host.example",
        service: "example",
        type: "Status",
        state: "error",
        message: "made up for a test",
        date: at,
        key: `muster-test-${id}`,
      },
    ],
    url: baseUrl?.href ?? null,
    acknowledgeUrl: null,
    at,
  };
}
