import * as v from "valibot";
import { turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { DeliveryQueries } from "./deliveries.queries.ts";
import { deliveryListArguments, deliveryListReply } from "./deliveries.schemas.ts";
import { type Deliveries, deliveryNotFailed } from "./deliveries.service.ts";

/** Operations on deliveries: which message was sent to whom. */
export function deliveryOperations(deliveries: Deliveries, queries: DeliveryQueries): Operation[] {
  return [
    read("/admin/deliveries/list", {
      access: "admin",
      summary: "Messages about events and their outcome, newest first",
      request: deliveryListArguments,
      response: deliveryListReply,
      handle: (args, c) => queries.deliveryList(turnOf(c), args),
    }),
    write("/admin/deliveries/retry", {
      access: "admin",
      summary: "Retry a failed message",
      request: v.object({ id: idOf("delivery") }),
      errors: [noSuch("delivery"), deliveryNotFailed],
      audit: { subject: "delivery", id: (args) => args.id },
      handle: (args) => deliveries.retry(args.id),
    }),
  ];
}
