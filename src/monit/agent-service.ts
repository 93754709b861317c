/** The services of a message. */
import { asArray, serviceName } from "./elements.ts";
import { serviceInNewerLayout } from "./layout.ts";
import type { AgentMessage, AgentService } from "./message.types.ts";
import { MAX_BITMAP, MAX_CODE, MAX_COUNT, MAX_UNIX_TIME, MAX_USEC } from "./message-bounds.ts";
import { readStatistics } from "./statistics.ts";
import type { ValueReader } from "./value-reader.ts";
import type { XmlElement } from "./xml.ts";

/**
 * Reads `<services>`. If several services share a name, the first one is kept.
 * @param isOptional whether the message may have no list of services
 */
export function readServices(
  monit: XmlElement,
  reader: ValueReader,
  isOptional: boolean,
): Pick<AgentMessage, "services" | "unreadServices"> {
  const isMissing = monit.services === undefined;
  if (isMissing && !isOptional) reader.note("services");
  const node = reader.section(monit, "services");
  if (isMissing || node === null) return { services: [], unreadServices: "any" };
  const byName = new Map<string, AgentService>();
  const unread: string[] = [];
  const nodes = reader.elements(node, "service");
  let isAnyNameless = nodes.length < asArray(node, "service").length;
  for (const child of nodes.map(serviceInNewerLayout)) {
    const name = serviceName(reader.text(child, "@name"));
    if (name === "") {
      reader.within("service", () => reader.note("name"));
      isAnyNameless = true;
      continue;
    }
    reader.ofService(name);
    const parsed = service(child, name, reader);
    reader.ofService("");
    if (parsed === null) unread.push(name);
    else if (!byName.has(name)) byName.set(name, parsed);
  }
  return { services: [...byName.values()], unreadServices: isAnyNameless ? "any" : unread };
}

/** Returns null if the type cannot be read: every other field depends on it. */
function service(node: XmlElement, name: string, reader: ValueReader): AgentService | null {
  const type = reader.integer(node, "type", { max: MAX_CODE });
  if (type === null) return null;
  const hint = reader.optionalInteger(node, "status_hint", { max: MAX_BITMAP });
  const status = reader.integer(node, "status", { max: MAX_BITMAP });
  const isHintUnread = hint === null && node.status_hint !== undefined;
  return {
    name,
    type,
    collectedSec: reader.integer(node, "collected_sec", { max: MAX_UNIX_TIME }) ?? 0,
    collectedUsec: reader.optionalInteger(node, "collected_usec", { max: MAX_USEC }) ?? 0,
    status: isHintUnread ? null : status,
    statusHint: hint ?? 0,
    monitor: reader.integer(node, "monitor", { max: MAX_CODE }),
    monitorMode: reader.optionalInteger(node, "monitormode", { max: MAX_CODE }) ?? 0,
    onReboot: reader.optionalInteger(node, "onreboot", { max: MAX_CODE }) ?? 0,
    pendingAction: reader.optionalInteger(node, "pendingaction", { max: MAX_CODE }) ?? 0,
    every: every(reader.element(node, "every"), reader),
    statistics: readStatistics(node, type, reader),
  };
}

/** Code of the schedule type "not every <cron>" in Monit 5.33. */
const NOT_IN_CRON = 4;

function every(node: XmlElement | null, reader: ValueReader): string {
  if (node === null) return "";
  return reader.within("every", () => {
    if (node.cron === undefined) {
      const cycles = reader.integer(node, "number", { max: MAX_COUNT });
      return cycles === null || cycles <= 1 ? "" : `${cycles} cycles`;
    }
    const cron = reader.text(node, "cron");
    return reader.optionalInteger(node, "type", { max: MAX_CODE }) === NOT_IN_CRON ? `not ${cron}` : cron;
  });
}
