import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { HistoryFixture, HOUR } from "../history/history-fixture.ts";
import type { Law } from "./laws.ts";

/** What each host of the fleet reports. */
export const SERVICES = [
  { name: "host-1", type: 5, body: systemXml({ user: 10, system: 5, wait: 1, memory: 40, load: 0.7 }) },
  { name: "rootfs", type: 0, body: filesystemXml({ percent: 20 }) },
  { name: "data", type: 0, body: filesystemXml({ percent: 91 }) },
];

/** Hosts with a system and two filesystems, and the last days of their history by known laws. */
export class Fleet extends HistoryFixture {
  #id(host: string, service: string, type: number): number {
    const [row] = this.app.rows<{ id: number }>(
      `select s.id from statistics s join services v on v.id = s.service_id join names n on n.id = v.name_id
         join hosts h on h.id = v.host_id where h.agent_id = '${host}' and n.name = '${service}' and s.type = ${type}`,
    );
    return row?.id ?? -1;
  }

  /** @param laws by service, of the statistic that it fills up */
  async add(name: string, laws: Readonly<Record<string, Law>>, days = 10): Promise<number> {
    const hostId = await this.addHost(name);
    await this.app.report({ id: name, hostname: name, services: SERVICES });
    this.app.db.$client.run(`delete from samples where host_id = ${hostId}`);
    this.app.db.$client.run(`update hosts set created_at = ${START - days * 24 * HOUR} where id = ${hostId}`);
    this.app.hostCache.forgetAll();
    const ids = Object.keys(laws).map((service) => this.#id(name, service, service === "host-1" ? 4 : 18));
    for (let hour = -24 * days; hour <= 0; hour++) {
      const values = Object.values(laws).map((law) => Math.round(10 * law(hour / 24)) / 10);
      this.addSample(hostId, START + hour * HOUR, ids, Float64Array.from(values));
    }
    return hostId;
  }

  /** Runs the daily pass to its end. @returns the number of steps */
  async passForecasts(): Promise<number> {
    const { forecastPass } = this.app.muster;
    for (let steps = 1; steps < 1000; steps++) {
      if (!forecastPass.step()) return steps;
      await forecastPass.settled();
    }
    throw new Error("the pass does not end");
  }
}
