import * as v from "valibot";
import { described, id } from "../../platform/http/validate.ts";

/** The most hosts in one request: more than the rows of any window. */
const MAX_HOSTS = 200;

export const glanceArguments = v.object({
  id: described(
    v.pipe(v.array(id), v.minLength(1), v.maxLength(MAX_HOSTS)),
    `id of a host; at most ${MAX_HOSTS}`,
  ),
});

const number = v.number();
const hourly = v.array(v.nullable(number));

const record = v.object({
  id: described(number, "id of the host"),
  load: described(number, "latest load average of one minute; -1 if unknown"),
  disk: described(number, "latest space usage of the fullest filesystem in percent; -1 if unknown"),
  diskname: described(v.string(), "name of that filesystem's service; empty if unknown"),
  uptime: described(number, "uptime of the 24 hours in percent; -1 if nothing was counted"),
  beats: described(
    v.array(number),
    "48 half hours: 0 not counted, 1 up, 2 services of the host failed, 3 the host was down",
  ),
  cpu: described(hourly, "24 hourly means of the CPU usage in percent; null without values"),
  mem: described(hourly, "24 hourly means of the memory usage in percent; null without values"),
  loads: described(hourly, "24 hourly means of the load average of one minute; null without values"),
  diskusage: described(hourly, "24 hourly means of that filesystem's space usage; null without values"),
  exceeded: described(
    v.object({
      cpu: described(number, "CPU usage"),
      mem: described(number, "memory usage"),
      disk: described(number, "space usage of that filesystem"),
      load: described(number, "load average"),
    }),
    "whether a limit is exceeded now: 0 no, 1 a warning, 2 a critical limit or one of the agent",
  ),
});

export const glanceReply = v.object({
  datefrom: described(number, "start of the 24 hours, unix timestamp"),
  dateto: described(number, "end of the 24 hours, unix timestamp"),
  records: described(v.array(record), "the hosts in the order of the ids; ids of no host are left out"),
});
