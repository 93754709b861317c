import { expect, test } from "bun:test";
import { statisticsOfHistory } from "../../../src/monitoring/history/history.repository.ts";
import { statisticsOfTypes } from "../../../src/monitoring/history/latest-of-type.repository.ts";
import { TestApp } from "../../support/app.ts";
import { plansOf } from "../../support/plans.ts";

for (const type of [undefined, [18], [1, 2, 3]])
  test(`the statistics of a host of types ${type} are read by its services, not by those of all hosts`, () => {
    const app = new TestApp();
    const plans = plansOf(app, () => statisticsOfHistory(app.db, 1, { type })).join("\n");
    expect(plans).toContain("statistics USING INDEX statistics_by_service");
    expect(plans).not.toContain("statistics_by_type");
  });

test("statistics of some types of all hosts are read from an index alone, and only the new ones", () => {
  const app = new TestApp();
  const plans = plansOf(app, () => statisticsOfTypes(app.db, [1, 2, 3], 4));
  expect(plans.at(-1)).toBe(
    "SEARCH statistics USING COVERING INDEX statistics_by_type (<expr>=? AND type=? AND id>?)",
  );
});
