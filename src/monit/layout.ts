/**
 * The two layouts of a message. Up to about Monit 5.9, and on the status page of every version, the id,
 * incarnation and version of the agent are elements of `<server>`, services are children of `<monit>`, and
 * a service is `<service type="3"><name>...</name>`. Later ones are attributes of `<monit>`, and services
 * stand in `<services>` as `<service name="..."><type>3</type>`. Only this file handles the older layout.
 */
import { asArray, textOf } from "./elements.ts";
import type { XmlElement } from "./xml.ts";

/** Attributes that identify the agent. In the older layout they are elements of `<server>`. */
const IDENTITY = ["id", "incarnation", "version"] as const;

/** Whether the document uses the older layout. */
export function isOlderLayout(monit: XmlElement): boolean {
  return monit["@id"] === undefined;
}

/** Converts a document to the newer layout, if it does not use it. Missing values stay missing. */
export function inNewerLayout(monit: XmlElement): XmlElement {
  if (!isOlderLayout(monit)) return monit;
  const normalised: XmlElement = { ...monit };
  const { server } = monit;
  if (typeof server === "object" && !Array.isArray(server))
    for (const name of IDENTITY) {
      const value = server[name];
      if (value !== undefined && !Array.isArray(value)) normalised[`@${name}`] = textOf(value);
    }
  if (monit.services === undefined && monit.service !== undefined)
    normalised.services = { service: asArray(monit, "service") };
  return normalised;
}

/** Converts a `<service>` element to the newer layout; returns it unchanged if it already uses it. */
export function serviceInNewerLayout(service: XmlElement): XmlElement {
  const { name, type = service["@type"] } = service;
  if (service["@name"] !== undefined || name === undefined || Array.isArray(name)) return service;
  const normalised: XmlElement = { ...service, "@name": textOf(name) };
  if (type !== undefined) normalised.type = type;
  return normalised;
}
