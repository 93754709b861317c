import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import { placeFilter } from "../alerting/choices.tsx";
import { checkedValues, commaSeparated } from "../ui/choices.tsx";
import { decimalOf, type Each, textOf } from "../ui/form-values.ts";
import { type LimitedMetric, METRICS } from "./metrics.ts";
import type { NewLimit } from "./types.ts";

/** The form of a limit, as create, update and preview take it. */
export function limitArguments(values: FormData, previous: LimitedMetric) {
  const key = textOf(values, "number");
  const { statistics, descriptor, perprocessor, period, scale } =
    METRICS.find((metric) => metric.key === key) ?? previous;
  const bound = (name: string) => {
    const value = decimalOf(values, name);
    return typeof value === "number" ? value * scale : value;
  };
  return {
    name: textOf(values, "name"),
    enabled: values.has("enabled"),
    statistics,
    descriptor,
    perprocessor,
    filter: {
      ...placeFilter(values),
      ...withoutEmpty({
        hostnames: commaSeparated(values, "hostname"),
        servicetypes: checkedValues(values, "servicetype").map(Number),
      }),
    },
    direction: period === "month" ? "above" : textOf(values, "direction"),
    warning: bound("warning"),
    critical: bound("critical"),
    period,
    ...(period === "month" && { timezone: textOf(values, "timezone") }),
    minutes: Number(textOf(values, "minutes")),
    clearvalue: bound("clearvalue"),
    clearminutes: Number(textOf(values, "clearminutes")),
    missing: textOf(values, "missing"),
    downtime: values.has("downtime"),
    note: textOf(values, "note"),
    runbook: textOf(values, "runbook"),
  } satisfies Each<Omit<NewLimit, "timezone">>;
}
