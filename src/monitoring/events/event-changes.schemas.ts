import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";

const number = v.number();
const string = v.string();

export const eventChangesReply = v.object({
  datefrom: described(number, "start of the hour before the failure, unix timestamp"),
  dateto: described(number, "start of the failure, or date of an event that reports none, unix timestamp"),
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the event that reports the change, 0 if none does"),
        date: described(number, "when it changed, unix timestamp"),
        hostid: described(number, "id of the host"),
        hostname: described(string, "name of the host"),
        servicename: described(string, "name of the service"),
        message: described(string, "message of the event"),
        event: described(string, "name of the event type, as in PID; Output for the output of a program"),
        before: described(
          string,
          "what differs in the earlier output, at most 200 bytes; empty for an event",
        ),
        after: described(string, "the same in the later output"),
      }),
    ),
    "changes, newest first: at most 50 events of the host and 50 of other hosts, and as many outputs",
  ),
});
