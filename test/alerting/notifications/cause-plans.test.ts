import { expect, test } from "bun:test";
import { failuresOf } from "../../../src/alerting/notifications/causes.repository.ts";
import { TestApp } from "../../support/app.ts";
import { plansOf } from "../../support/plans.ts";

test("outages of a host on which others depend are found by an index of outages", () => {
  const app = new TestApp();
  const plans = plansOf(app, () => failuresOf(app.db, { hostId: 1, service: "" }, 0));
  expect(plans).toContain("SEARCH downtime_intervals USING INDEX downtime_of_silence (host_id=?)");
});
