import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import { checkedValues, commaSeparated } from "../ui/choices.tsx";
import { type Each, textOf } from "../ui/form-values.ts";
import { placeFilter } from "./choices.tsx";
import { stepsIn } from "./rule-step-fields.tsx";
import type { NewRule } from "./types.ts";

const numbersIn = (values: FormData, name: string) => checkedValues(values, name).map(Number);

function quietHoursIn(values: FormData) {
  const days = numbersIn(values, "quietdays");
  const timezone = textOf(values, "quiettimezone");
  return {
    ...(days.length > 0 && { days }),
    from: textOf(values, "quietfrom"),
    to: textOf(values, "quietto"),
    ...(timezone !== "" && { timezone }),
  };
}

function filterIn(values: FormData) {
  const severities = numbersIn(values, "severity");
  if (textOf(values, "about") === "muster") return { about: "muster", ...withoutEmpty({ severities }) };
  const eventtypes = numbersIn(values, "eventtype").reduce((sum, bit) => sum + bit, 0);
  return {
    ...placeFilter(values),
    ...withoutEmpty({
      servicegroups: commaSeparated(values, "servicegroup"),
      servicetypes: numbersIn(values, "servicetype"),
      states: numbersIn(values, "state"),
      severities,
    }),
    ...(eventtypes > 0 && { eventtypes }),
  };
}

/** The rule in the form, as create, update and preview take it. */
export function ruleArguments(values: FormData) {
  return {
    name: textOf(values, "name"),
    enabled: values.has("enabled"),
    filter: filterIn(values),
    delay: Number(textOf(values, "delay")),
    repeat: Number(textOf(values, "repeat")),
    recovery: values.has("recovery"),
    final: values.has("final"),
    quiet: values.has("quiet") ? quietHoursIn(values) : null,
    flapcount: Number(textOf(values, "flapcount")),
    flapwindow: Number(textOf(values, "flapwindow")),
    steps: stepsIn(values),
  } satisfies Each<NewRule>;
}
