import { expect, test } from "bun:test";
import { app, appOfEachTest } from "../../support/each-test.ts";

const LIST = "/api/1/status/servicegroups/list";

appOfEachTest();

const services = [{ name: "web" }, { name: "db" }];

test("servicegroups/list gives each host's groups by name with their services", async () => {
  await app.report({
    id: "a",
    hostname: "one",
    services,
    serviceGroups: { site: ["web", "db"], data: ["db"] },
  });
  await app.report({ id: "b", hostname: "two", services, serviceGroups: { data: ["db"] } });
  const user = await app.user();
  const reply = await user.get(LIST);
  const id = (host: number, name: string) =>
    app.rows<{ id: number }>(
      `select services.id from services join names on names.id = name_id where host_id = ${host} and name = '${name}'`,
    )[0]?.id ?? -1;
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    totalRecords: 3,
    records: [
      { id: expect.any(Number), name: "data", hostid: 1, services: [id(1, "db")] },
      { id: expect.any(Number), name: "data", hostid: 2, services: [id(2, "db")] },
      { id: expect.any(Number), name: "site", hostid: 1, services: [id(1, "web"), id(1, "db")].sort() },
    ],
  });
  expect(new Set(reply.json.records.map((group: { id: number }) => group.id)).size).toBe(3);
});

test("servicegroups/list leaves out services that are no longer there", async () => {
  await app.report({ services, serviceGroups: { site: ["web", "db"] } });
  await app.report({ services: services.slice(0, 1), serviceGroups: { site: ["web", "db"] } });
  const user = await app.user();
  const [group] = (await user.get(LIST)).json.records;
  expect(group.name).toBe("site");
  expect(group.services).toHaveLength(1);
});

test("servicegroups/list is empty without agents' groups", async () => {
  const user = await app.user();
  expect((await user.get(LIST)).json).toEqual({ totalRecords: 0, records: [] });
});
