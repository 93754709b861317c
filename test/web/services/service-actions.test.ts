import { describe, expect, test } from "bun:test";
import type { HostOfDetail } from "../../../web/api/types.ts";
import { whyNoEvent } from "../../../web/services/service-actions.tsx";

describe("when an agent reports no event after an action", () => {
  const host = (lastmodified: number) =>
    ({
      lastmodified,
      agent: { poll: 30 },
      services: [{ name: "nginx", status: "Ok", monitorstate: 1 }],
    }) as unknown as HostOfDetail;
  const sent = { action: "start", services: ["nginx"], at: 1000 } as const;

  test("its next report may not be due yet", () => {
    expect(whyNoEvent(host(990), sent, 1010)).toContain("every 30 s");
  });

  test("it may have stopped reporting", () => {
    expect(whyNoEvent(host(990), sent, 1100)).toContain("No report since");
  });

  test("the action may take longer, and later there was nothing to do", () => {
    expect(whyNoEvent(host(1020), sent, 1050)).toContain("still be working");
    expect(whyNoEvent(host(1080), sent, 1100)).toContain("nginx is Ok, monitoring on");
  });
});
