import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { DeliveryListArguments } from "./deliveries.schemas.ts";
import { Deliveries } from "./deliveries.service.ts";

/** Queries of sent and waiting messages that run on a query worker. */
export function deliveryQueries(db: Db, clock: Clock) {
  const deliveries = new Deliveries(db, clock);
  return {
    deliveryList: (args: DeliveryListArguments) => deliveries.list(args),
  };
}

export type DeliveryQueries = AsyncQueries<ReturnType<typeof deliveryQueries>>;
