import { checkedValues, commaSeparated, placeFilter, withoutEmpty } from "../alerting/choices.tsx";
import { textOf } from "../ui/form.tsx";
import { COMMON, type LimitedNumber, OTHERS } from "./numbers.ts";

/**
 * A number as typed, with a comma or a point before decimals; null if there is none. What is no number is sent as it
 * is, so that the service can say so.
 */
function decimal(values: FormData, name: string): number | string | null {
  const typed = textOf(values, name).trim().replace(",", ".");
  if (typed === "") return null;
  return Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

/** The form of a limit, as create, update and preview take it. */
export function limitArguments(values: FormData, previous: LimitedNumber) {
  const key = textOf(values, "number");
  const { statistics, descriptor, perprocessor } =
    [...COMMON, ...OTHERS].find((number) => number.key === key) ?? previous;
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
    direction: textOf(values, "direction"),
    warning: decimal(values, "warning"),
    critical: decimal(values, "critical"),
    minutes: Number(textOf(values, "minutes")),
    clearvalue: decimal(values, "clearvalue"),
    clearminutes: Number(textOf(values, "clearminutes")),
    missing: textOf(values, "missing"),
    downtime: values.has("downtime"),
    note: textOf(values, "note"),
    runbook: textOf(values, "runbook"),
  };
}
