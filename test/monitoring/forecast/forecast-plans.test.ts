import { expect, test } from "bun:test";
import { listForecasts } from "../../../src/monitoring/forecast/forecast.repository.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { plansOf } from "../../support/plans.ts";

test.each([{ until: START }, {}, { tag: ["disks"] }])(
  "the list of forecasts is read by the index of dates (%p)",
  (filter) => {
    const scope = "all";
    const app = new TestApp();
    const plans = plansOf(app, () =>
      listForecasts(app.db, { ...filter, scope, calculatedAfter: START }, 50, 0),
    ).join("\n");
    expect(plans).toContain("forecasts USING INDEX forecasts_by_date");
    expect(plans).not.toContain("TEMP B-TREE");
  },
);
