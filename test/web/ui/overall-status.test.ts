import { describe, expect, test } from "bun:test";
import { HOST_CONDITIONS } from "../../../web/text/host-conditions.ts";
import { overallStatusOf } from "../../../web/ui/overall-status.ts";

describe("the overall status", () => {
  const summary = (...counts: number[]) => ({
    status: HOST_CONDITIONS.map(({ label }, i) => ({ label, data: counts[i] ?? 0 })),
  });

  test("counts the hosts that failed or have failed services", () => {
    expect(overallStatusOf(summary(1, 2, 3, 9), false)).toEqual({ kind: "failed", mark: "(6) ", count: 6 });
    expect(overallStatusOf(summary(0, 0, 3, 9), false)).toEqual({ kind: "warning", mark: "(3) ", count: 3 });
    expect(overallStatusOf(summary(0, 0, 0, 9, 2, 1), false)).toEqual({ kind: "ok", mark: "", count: 0 });
  });

  test("is unknown while the service cannot be reached or no host reports", () => {
    expect(overallStatusOf(summary(0, 0, 0, 9), true)).toEqual({ kind: "unknown", mark: "(?) ", count: 0 });
    expect(overallStatusOf(summary(), false).kind).toBe("unknown");
    expect(overallStatusOf(null, false).kind).toBe("unknown");
  });

  test("of a moment in the past says which, whatever the status was", () => {
    const { kind, mark, count } = overallStatusOf(summary(1, 0, 0, 9), false, 1_795_547_611);
    expect([kind, count]).toEqual(["past", 1]);
    expect(mark).toMatch(/^\[.*2026.*\] \(1\) $/);
  });
});
