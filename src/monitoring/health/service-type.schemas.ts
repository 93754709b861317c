import { SERVICE_TYPE_NAMES } from "../../monit/event-types.ts";
import { integer } from "../../platform/http/validate.ts";

/** A code of `SERVICE_TYPE`. */
export const serviceType = integer(0, SERVICE_TYPE_NAMES.length - 1);
