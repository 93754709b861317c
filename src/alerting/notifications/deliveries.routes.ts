import * as v from "valibot";
import { callerOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import { deliveryListArguments, deliveryListReply, eventAlertsReply } from "./deliveries.schemas.ts";
import { type Deliveries, deliveryNotFailed } from "./deliveries.service.ts";

/** Who was told of what. */
export function deliveryOperations(deliveries: Deliveries): Operation[] {
  return [
    read("/reports/events/alerts", {
      access: "session",
      summary: "Who was told of an event, and why others were not",
      request: v.object({ id: idOf("event") }),
      response: eventAlertsReply,
      errors: [noSuch("event")],
      handle: (args, c) => deliveries.ofEvent(args.id, callerOf(c).admin),
    }),
    read("/admin/deliveries/list", {
      access: "admin",
      summary: "Messages about events, newest first, with what became of them",
      request: deliveryListArguments,
      response: deliveryListReply,
      handle: (args) => deliveries.list(args),
    }),
    write("/admin/deliveries/retry", {
      access: "admin",
      summary: "Send a message again that failed",
      request: v.object({ id: idOf("delivery") }),
      response: v.object({}),
      errors: [noSuch("delivery"), deliveryNotFailed],
      audit: { subject: "delivery", id: (args) => args.id },
      handle: (args) => {
        deliveries.retry(args.id);
        return {};
      },
    }),
  ];
}
