/** Checks that counters, LEDs and status texts match the rows that they summarise. */

import { healthColumns, serviceLed } from "../../monitoring/health/health.ts";
import { updateHost } from "../../monitoring/hosts/hosts.repository.ts";
import { updateService } from "../../monitoring/ingest/services.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { counted, separated } from "../../platform/text.ts";
import { recount, wrongCounts } from "./counts.repository.ts";
import {
  hostsInOrder,
  miscountedHosts,
  miscountedServices,
  presentServicesOfAll,
} from "./doctor.repository.ts";
import type { DoctorFinding } from "./finding.ts";

/** The highest level of the limits that a service exceeds; 0 if it exceeds none. */
type LevelOf = (service: { hostId: number; nameId: number }) => number;

function findMiscounts(db: Db): DoctorFinding[] {
  const hosts = miscountedHosts(db).map(({ id, name, counted: claimed, stored }) => ({
    sentence: `Host ${name} counts ${counted(claimed, "event")}, but has ${separated(stored)}.`,
    repair: () => updateHost(db, id, { events: stored }),
  }));
  const services = miscountedServices(db).map(({ id, host, name, counted: claimed, stored }) => ({
    sentence: `Service ${name} on ${host} counts ${counted(claimed, "event")}, but has ${separated(stored)}.`,
    repair: () => updateService(db, id, { events: stored }),
  }));
  return [...hosts, ...services];
}

function findWrongStates(db: Db, levelOf: LevelOf): DoctorFinding[] {
  const findings: DoctorFinding[] = [];
  const byHost = Map.groupBy(presentServicesOfAll(db), (service) => service.hostId);
  for (const host of hostsInOrder(db)) {
    const stored = byHost.get(host.id) ?? [];
    const services = stored.map((service) => ({ ...service, limitLevel: levelOf(service) }));
    for (const [i, service] of services.entries()) {
      const { id, limitLevel } = service;
      if (limitLevel !== stored[i]?.limitLevel)
        findings.push({
          sentence: `Service ${service.name} on ${host.hostname} exceeds other limits than are stored with it.`,
          repair: () => updateService(db, id, { limitLevel }),
        });
      const led = serviceLed(service);
      if (led !== service.led)
        findings.push({
          sentence: `Service ${service.name} on ${host.hostname} shows the wrong LED.`,
          repair: () => updateService(db, id, { led }),
        });
    }
    const state = healthColumns(host, services.map(serviceLed));
    // The stored text contains the time of its writing and cannot be compared.
    if (host.heartbeat === 0) state.statusText = host.statusText;
    if (differs(host, state))
      findings.push({
        sentence: `Host ${host.hostname} shows the wrong state.`,
        repair: () => updateHost(db, host.id, state),
      });
  }
  return findings;
}

function findWrongCounts(db: Db): DoctorFinding[] {
  const wrong = Object.entries(wrongCounts(db)).filter(([, number]) => number > 0);
  return wrong.map(([of, number]) => ({
    sentence: `${counted(number, `count of ${of} is`, `counts of ${of} are`)} wrong.`,
    repair: () => recount(db),
  }));
}

function differs<T extends object>(row: T, state: Partial<T>): boolean {
  return (Object.keys(state) as (keyof T)[]).some((key) => row[key] !== state[key]);
}

/** Counters, LEDs and status texts that are wrong. Reads all hosts, services and events. */
export function findCounterFaults(db: Db, levelOf: LevelOf): DoctorFinding[] {
  return [...findMiscounts(db), ...findWrongCounts(db), ...findWrongStates(db, levelOf)];
}
