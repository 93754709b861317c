import { textOf } from "../ui/form.tsx";
import { chosenIn, namesIn, orNone, placeArguments } from "./choices.tsx";

/** A rule's form as arguments of create, update and preview. What is not chosen is taken away. */
export function ruleArguments(values: FormData) {
  const quiet = values.has("quiet");
  const channels = chosenIn(values, "channelid");
  const others = chosenIn(values, "escalationchannelid");
  const escalateafter = Number(textOf(values, "escalateafter"));
  const classes = chosenIn(values, "eventtype").reduce((sum, bit) => sum + Number(bit), 0);
  return {
    name: textOf(values, "name"),
    enabled: values.has("enabled"),
    ...placeArguments(values),
    servicegroup: orNone(namesIn(values, "servicegroup")),
    servicetype: orNone(chosenIn(values, "servicetype")),
    eventtype: classes,
    state: orNone(chosenIn(values, "state")),
    delay: textOf(values, "delay") || 0,
    repeat: textOf(values, "repeat") || 0,
    recovery: values.has("recovery"),
    final: values.has("final"),
    quietfrom: quiet ? textOf(values, "quietfrom") : "",
    quietto: quiet ? textOf(values, "quietto") : "",
    ...(quiet && {
      quietdays: orNone(chosenIn(values, "quietdays")),
      quiettimezone: textOf(values, "quiettimezone"),
    }),
    escalateafter,
    flapcount: textOf(values, "flapcount") || 0,
    flapwindow: textOf(values, "flapwindow"),
    channelid: orNone(channels),
    escalationchannelid: orNone(escalateafter === 0 ? [] : others.length > 0 ? others : channels),
  };
}
