import * as v from "valibot";
import { described, id, idOf, integer, text } from "../../platform/http/validate.ts";
import { format, rangeOrDatesEntries } from "../uptime/uptime.schemas.ts";

const number = v.number();
const values = v.array(v.nullable(number));

export const historyArguments = v.object({
  hostid: idOf("host"),
  serviceid: described(v.optional(id), "only this service"),
  servicename: described(v.optional(text(1, 255)), "only the service of this name"),
  type: described(v.optional(v.array(integer(0, 999))), "only statistics of this type (see statistic types)"),
  descriptor: described(v.optional(text(0, 1024)), "only the statistic with this descriptor"),
  ...rangeOrDatesEntries,
  points: described(v.optional(integer(2, 5000), 500), "largest number of points in time"),
  format,
});

const series = v.object({
  id: described(number, "id of the series"),
  serviceid: described(number, "id of the service"),
  servicename: described(v.string(), "name of the service"),
  type: described(number, "code of the statistic type"),
  descriptor: described(v.string(), "tells statistics of the same type apart"),
  min: described(values, "smallest value at each point; null: there was none"),
  mean: described(values, "mean value at each point; null: there was none"),
  max: described(values, "largest value at each point; null: there was none"),
});

export const historyReply = v.object({
  hostid: described(number, "id of the host"),
  hostname: described(v.string(), "name of the host"),
  datefrom: described(number, "start, unix timestamp"),
  dateto: described(number, "end, unix timestamp"),
  resolution: described(number, "seconds between stored values; 0: as measured"),
  times: described(v.array(number), "start of each point, unix timestamp"),
  series: described(v.array(series), "values of each statistic at these points"),
});
