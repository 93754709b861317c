import { expect, test } from "bun:test";
import { detailText } from "../../../web/settings/audit.tsx";

test("details of the audit log say what changed, and of secrets only that they did", () => {
  expect(detailText("skew", [3, 5])).toBe("skew: 3 \u2192 5");
  expect(detailText("description", ["", "a <b>"])).toBe("description: nothing \u2192 a <b>");
  expect(detailText("password", "(secret)")).toBe("password changed");
  expect(detailText("id", [1, 2, 3])).toBe("id: 1, 2, 3");
  expect(detailText("admin", true)).toBe("admin: true");
});
