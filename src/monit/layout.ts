/**
 * The two layouts of a message. Up to about Monit 5.9, and on the status page of every version, the id, incarnation and
 * version of the agent are elements of `<server>`, services are children of `<monit>`, and a service is
 * `<service type="3"><name>...</name>`. Later ones are attributes of `<monit>`, and services stand in `<services>` as
 * `<service name="..."><type>3</type>`. Nothing but this file knows of the older one.
 */
import { asArray, textOf } from "./elements.ts";
import type { XmlElement } from "./xml.ts";

/** The agent's attributes and, in the older layout, the elements of the server that hold them. */
const IDENTITY = ["id", "incarnation", "version"] as const;

/** Whether the document is in the older layout. */
export function isOlderLayout(monit: XmlElement): boolean {
  return monit["@id"] === undefined;
}

/** The same document in the newer layout; itself if it is in that already. What is not there is not made up. */
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

/** A `<service>` element in the newer layout; itself if it is in that already. */
export function serviceInNewerLayout(service: XmlElement): XmlElement {
  const { name, type = service["@type"] } = service;
  if (service["@name"] !== undefined || name === undefined || Array.isArray(name)) return service;
  const normalised: XmlElement = { ...service, "@name": textOf(name) };
  if (type !== undefined) normalised.type = type;
  return normalised;
}
