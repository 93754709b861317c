/**
 * Each filter of the lists of hosts and events, alone and with every other one: the total is the number of listed
 * items.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import type { eventListArguments } from "../../../src/monitoring/events/events.schemas.ts";
import type { hostFilters } from "../../../src/monitoring/status/status.schemas.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";

let app: TestApp;
let admin: TestClient;

/** Six hosts, of two groups and some with a tag, and two events of each. */
beforeAll(async () => {
  app = new TestApp();
  admin = await app.admin();
  for (let n = 1; n <= 6; n++) {
    const host = { id: `a-${n}`, hostname: n % 3 === 0 ? `db-${n}` : `web-${n}` };
    const service = { name: n < 4 ? "nginx" : "disk", type: n % 2 === 0 ? 3 : 0 };
    const event = { service: service.name, serviceType: service.type, id: n === 1 ? 2 : 512 };
    const report = {
      ...host,
      hostGroups: n % 2 === 0 ? ["even"] : ["odd"],
      serviceGroups: { front: ["nginx"] },
    };
    await app.report({ ...report, services: [service] });
    await app.report({ ...report, services: [{ ...service, status: event.id }], event });
    app.clock.step(60);
    if (n > 4) await app.report({ ...report, services: [service], event: { ...event, state: 0 } });
  }
  await admin.post("/api/1/admin/tags/add", { tags: ["env=prod"], hosts: [1, 2, 6] });
});

/** A value of each filter that some match and others do not. A missing one does not compile. */
const HOSTS: Readonly<Record<keyof typeof hostFilters, readonly (string | number)[]>> = {
  hostid: [1, 2, 3],
  hostgroupid: [1],
  tag: ["env=prod"],
  led: [0],
  hostpattern: ["web"],
  hostname: ["web-2"],
};
const PAGING = ["results", "startindex", "sort", "dir"] as const;
type EventFilter = Exclude<keyof typeof eventListArguments.entries, (typeof PAGING)[number]>;
const EVENTS: Readonly<Record<EventFilter, readonly (string | number)[]>> = {
  active: [1],
  hostid: [1, 5],
  hostgroupid: [2],
  tag: ["env=prod"],
  servicenameid: [1],
  servicegroupid: [1],
  servicetype: [3],
  eventtype: [512],
  state: [1],
  text: ["disk"],
  datefrom: [START + 60],
  dateto: [START + 200],
  maxid: [6],
};

for (const [path, filters] of [
  ["/api/1/status/hosts/list", HOSTS],
  ["/api/1/reports/events/list", EVENTS],
] as const)
  describe(path, () => {
    const list = async (fields: object) =>
      (await admin.get(path, { ...fields, results: 1000 })).json as {
        totalRecords: number;
        records: unknown[];
      };

    for (const [name, value] of Object.entries(filters))
      test(`counts what it lists if it is filtered by ${name}, also beside another filter`, async () => {
        const unfiltered = await list({});
        const { totalRecords, records } = await list({ [name]: value });
        expect(totalRecords).toBe(records.length);
        expect([records.length > 0, records.length < unfiltered.records.length]).toEqual([true, true]);
        for (const [other, of] of Object.entries(filters)) {
          const both = await list({ [name]: value, [other]: of });
          expect([other, both.totalRecords]).toEqual([other, both.records.length]);
        }
      });
  });
