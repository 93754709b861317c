import { checkedValues, commaSeparated, listArgument, scopeArguments } from "../alerting/choices.tsx";
import { textOf } from "../ui/form.tsx";
import { COMMON, type LimitedNumber, OTHERS } from "./numbers.ts";
import type { NewLimit } from "./types.ts";

/** A number as typed, with a comma or a point before decimals. */
function decimal(values: FormData, name: string): string {
  return textOf(values, name).trim().replace(",", ".");
}

/** The form of a limit as arguments of create, update and preview. What is not chosen is emptied. */
export function limitArguments(values: FormData, own: LimitedNumber) {
  const key = textOf(values, "number");
  const { statistics, descriptor, perprocessor } =
    [...COMMON, ...OTHERS].find((one) => one.key === key) ?? own;
  return {
    name: textOf(values, "name"),
    enabled: values.has("enabled"),
    statistic: statistics,
    descriptor,
    perprocessor,
    ...scopeArguments(values),
    hostname: listArgument(commaSeparated(values, "hostname")),
    servicetype: listArgument(checkedValues(values, "servicetype")),
    direction: textOf(values, "direction"),
    warning: decimal(values, "warning"),
    critical: decimal(values, "critical"),
    minutes: textOf(values, "minutes") || 0,
    clearvalue: decimal(values, "clearvalue"),
    clearminutes: textOf(values, "clearminutes") || 0,
    missing: textOf(values, "missing"),
    downtime: values.has("downtime"),
    note: textOf(values, "note"),
    runbook: textOf(values, "runbook"),
  };
}

/** The same of a limit that is suggested. */
export function argumentsOf(limit: NewLimit) {
  const { statistics, filter, warning, critical, clearvalue, ...same } = limit;
  const text = (value: number | null) => (value === null ? "" : String(value));
  return {
    ...same,
    statistic: statistics,
    hostgroupid: listArgument(filter.hostgroupids ?? []),
    warning: text(warning),
    critical: text(critical),
    clearvalue: text(clearvalue),
  };
}
