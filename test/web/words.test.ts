import { describe, expect, test } from "bun:test";
import type { HostOfDetail } from "../../web/api/types.ts";
import { whyNoEvent } from "../../web/services/service-actions.tsx";
import { detailText } from "../../web/settings/audit.tsx";
import { browserName } from "../../web/users/sessions.tsx";

const CHROME =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";

test("a browser is called by name and system, anything else by what it says", () => {
  expect(browserName(CHROME)).toBe("Chrome on Linux");
  expect(browserName(`${CHROME.replace("X11; Linux x86_64", "Windows NT 10.0")} Edg/140.0`)).toBe(
    "Edge on Windows",
  );
  expect(browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 15.0; rv:140) Gecko/2010 Firefox/140.0")).toBe(
    "Firefox on Mac OS X",
  );
  expect(browserName("curl/8.1")).toBe("curl");
  expect(browserName("my own program")).toBe("my own program");
  expect(browserName("")).toBe("unknown");
});

test("details of the audit log say what changed, and of secrets only that they did", () => {
  expect(detailText("skew", [3, 5])).toBe("skew: 3 \u2192 5");
  expect(detailText("description", ["", "a <b>"])).toBe("description: nothing \u2192 a <b>");
  expect(detailText("password", "(secret)")).toBe("password changed");
  expect(detailText("id", [1, 2, 3])).toBe("id: 1, 2, 3");
  expect(detailText("admin", true)).toBe("admin: true");
});

describe("when an agent says nothing of an action", () => {
  const host = (lastmodified: number) =>
    ({
      lastmodified,
      agent: { poll: 30 },
      services: [{ name: "nginx", status: "Ok", monitorstate: 1 }],
    }) as unknown as HostOfDetail;
  const sent = { action: "start", services: ["nginx"], at: 1000 } as const;

  test("it may not have been its turn yet", () => {
    expect(whyNoEvent(host(990), sent, 1010)).toContain("every 30 s");
  });

  test("it may have fallen silent", () => {
    expect(whyNoEvent(host(990), sent, 1100)).toContain("not reported since");
  });

  test("it may still be at it, and then had nothing to do", () => {
    expect(whyNoEvent(host(1020), sent, 1050)).toContain("still be at it");
    expect(whyNoEvent(host(1080), sent, 1100)).toContain("nginx is Ok, monitoring on");
  });
});
