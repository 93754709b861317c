import * as v from "valibot";
import { described, id, text } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { resource } from "../../platform/resources/resource.ts";

export const listArguments = v.object({
  hostid: described(v.optional(id), "only those in which this host is the dependent or the cause"),
});

const end = (service: string) =>
  v.strictObject({
    host: described(reference("host"), "id of the host"),
    service: described(v.optional(text(0, 255), ""), service),
  });

/** A dependency between two hosts, or services of hosts. */
export const dependency = resource("dependency", {
  plural: "dependencies",
  order: "by host and service",
  fields: {
    dependent: described(
      end("name of the service that depends on the cause; empty: the whole host"),
      "what depends on the cause",
    ),
    cause: described(
      end("name of the service that it depends on; empty: the host itself, when it is down"),
      "what it depends on",
    ),
  },
  derived: {
    hostname: described(v.string(), "name of the host that depends on another"),
    causename: described(v.string(), "name of the host that it depends on"),
  },
});
