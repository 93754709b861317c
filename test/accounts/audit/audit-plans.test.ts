import { expect, test } from "bun:test";
import { deleteAnonymousEntries } from "../../../src/accounts/audit/audit.repository.ts";
import { TestApp } from "../../support/app.ts";
import { plansOf } from "../../support/plans.ts";

test("old entries of strangers are found by an index of their entries", () => {
  const app = new TestApp();
  const plans = plansOf(app, () => deleteAnonymousEntries(app.db, 10));
  expect(plans[0]).toBe("SEARCH audit USING COVERING INDEX audit_of_strangers (id<?)");
});
