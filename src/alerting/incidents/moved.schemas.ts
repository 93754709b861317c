import * as v from "valibot";
import { described, idOf } from "../../platform/http/validate.ts";

const number = v.number();
const string = v.string();

export const movedArguments = v.object({ id: idOf("event") });

const entry = v.object({
  date: described(number, "the first report that shows it, or the best estimate, unix timestamp"),
  earliest: described(number, "it happened after this, unix timestamp"),
  latest: described(number, "it happened by then, unix timestamp"),
  tie: described(number, "entries of the same number cannot be put in order: their uncertainties overlap"),
  kind: described(
    v.picklist(["number", "change", "output", "limit", "failure", "muster"]),
    "number: a metric left its usual course; change: an agent reported a change, or a code such as a PID changed; output: of " +
      "a program; limit: exceeded; failure: of another check; muster: a mute, maintenance, or an action of a user",
  ),
  hostid: described(number, "id of the host; 0 if it concerns no single host"),
  hostname: described(string, "name of the host; empty if it concerns no single host"),
  serviceid: described(number, "id of the service of a metric; 0 otherwise"),
  servicename: described(string, "name of the service; empty without one"),
  eventid: described(number, "id of the event that reports it; 0 if none does"),
  what: described(
    string,
    "message of the event, name of the metric, mute or maintenance that began, or kind and name of what an operation was about",
  ),
  operation: described(string, "operation of the API by which a user did it; empty otherwise"),
  type: described(v.nullable(number), "code of the type of statistic; null if it is no metric"),
  descriptor: described(string, "which of several metrics of that type, as in a port; empty if there is one"),
  of: described(
    v.nullable(v.picklist(["level", "spread", "code"])),
    "level: the metric rose or fell; spread: it varies more; code: it changed to another one; null if it is no metric",
  ),
  from: described(v.nullable(number), "level, deviation or code before; null if it is no metric"),
  to: described(v.nullable(number), "the same where it was farthest from that; null if it is no metric"),
  before: described(string, "of an output: what differs in the earlier one; empty otherwise"),
  after: described(string, "the same in the later one"),
  uname: described(string, "login name of the user who did it; empty if nobody is known"),
});

export const movedReply = v.object({
  id: described(number, "id of the first error event of the incident"),
  since: described(number, "when the incident began, unix timestamp"),
  datefrom: described(number, "start of the hour that was searched, unix timestamp"),
  hosts: described(
    number,
    "hosts that were searched: of the incident, those it depends on, members of its groups",
  ),
  hostsleftout: described(number, "hosts that were not searched, since there are too many"),
  metrics: described(number, "metrics that were tested"),
  metricsleftout: described(number, "metrics that were not tested, since there are too many"),
  recordsleftout: described(number, "entries beyond the first 100"),
  records: described(v.array(entry), "what moved in the hour before, in the order of time"),
});
