import { textOf } from "../ui/form.tsx";
import { checkedValues, commaSeparated, listArgument, scopeArguments } from "./choices.tsx";
import { stepsIn } from "./rule-step-fields.tsx";

/** The form of a rule as arguments of create, update and preview. What is not chosen is emptied. */
export function ruleArguments(values: FormData) {
  const quiet = values.has("quiet");
  const classes = checkedValues(values, "eventtype").reduce((sum, bit) => sum + Number(bit), 0);
  return {
    name: textOf(values, "name"),
    enabled: values.has("enabled"),
    ...scopeArguments(values),
    servicegroup: listArgument(commaSeparated(values, "servicegroup")),
    servicetype: listArgument(checkedValues(values, "servicetype")),
    eventtype: classes,
    state: listArgument(checkedValues(values, "state")),
    severity: listArgument(checkedValues(values, "severity")),
    delay: textOf(values, "delay") || 0,
    repeat: textOf(values, "repeat") || 0,
    recovery: values.has("recovery"),
    final: values.has("final"),
    quietfrom: quiet ? textOf(values, "quietfrom") : "",
    quietto: quiet ? textOf(values, "quietto") : "",
    ...(quiet && {
      quietdays: listArgument(checkedValues(values, "quietdays")),
      quiettimezone: textOf(values, "quiettimezone"),
    }),
    flapcount: textOf(values, "flapcount") || 0,
    flapwindow: textOf(values, "flapwindow"),
    steps: JSON.stringify(stepsIn(values)),
  };
}
