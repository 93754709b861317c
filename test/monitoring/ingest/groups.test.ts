import { expect, test } from "bun:test";
import type { TestApp as App } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const MEMBERS =
  "select name, by_hand as hand, by_agent as agent from host_group_members join host_groups on host_groups.id = group_id order by name";

/** An administrator puts host 1 into a group, as the API does. */
function joinByHand(app: App, name: string): void {
  app.db.$client.run("insert into host_groups (name) values (?) on conflict do nothing", [name]);
  app.db.$client.run(
    `insert into host_group_members (group_id, host_id, by_hand, by_agent)
     select id, 1, 1, 0 from host_groups where name = ?
     on conflict (group_id, host_id) do update set by_hand = true`,
    [name],
  );
}

test("a host joins the groups its agent asks for, which are made if new", async () => {
  await app.report({ hostGroups: ["Oslo", "Web"] });
  expect(app.rows(MEMBERS)).toEqual([
    { name: "Oslo", hand: 0, agent: 1 },
    { name: "Web", hand: 0, agent: 1 },
  ]);
});

test("it leaves what its agent no longer asks for, and the group stays", async () => {
  await app.report({ hostGroups: ["Oslo", "Web"] });
  await app.report({ hostGroups: ["Web"] });
  expect(app.rows(MEMBERS)).toEqual([{ name: "Web", hand: 0, agent: 1 }]);
  await app.report({});
  expect(app.rows(MEMBERS)).toEqual([]);
  expect(app.rows("select name from host_groups order by name")).toEqual([{ name: "Oslo" }, { name: "Web" }]);
});

test("membership by hand is not touched by what the agent asks for", async () => {
  await app.report({ hostGroups: ["Web"] });
  joinByHand(app, "Web");
  joinByHand(app, "Oslo");
  await app.report({ hostGroups: ["Bergen"] });
  expect(app.rows(MEMBERS)).toEqual([
    { name: "Bergen", hand: 0, agent: 1 },
    { name: "Oslo", hand: 1, agent: 0 },
    { name: "Web", hand: 1, agent: 0 },
  ]);
  await app.report({ hostGroups: ["Oslo"] });
  expect(app.rows(MEMBERS)).toEqual([
    { name: "Oslo", hand: 1, agent: 1 },
    { name: "Web", hand: 1, agent: 0 },
  ]);
});

test("a host and its agent's groups are told apart from another host's", async () => {
  await app.report({ id: "a", hostGroups: ["Web"] });
  await app.report({ id: "b", hostGroups: ["Web"] });
  await app.report({ id: "a" });
  expect(app.rows("select host_id as h from host_group_members")).toEqual([{ h: 2 }]);
});

const SERVICE_GROUPS = `select g.name, n.name as service from service_groups g
  left join service_group_members m on m.group_id = g.id left join services s on s.id = m.service_id
  left join names n on n.id = s.name_id order by g.id, n.name`;
const services = [{ name: "a" }, { name: "b" }];

test("service groups follow the agent and keep their id", async () => {
  await app.report({ services, serviceGroups: { app: ["a", "b"], db: ["b"] } });
  const ids = app.rows("select id, name from service_groups order by id");
  expect(app.rows(SERVICE_GROUPS)).toEqual([
    { name: "app", service: "a" },
    { name: "app", service: "b" },
    { name: "db", service: "b" },
  ]);
  await app.report({ services, serviceGroups: { db: ["a"], app: [] } });
  expect(app.rows(SERVICE_GROUPS)).toEqual([
    { name: "app", service: null },
    { name: "db", service: "a" },
  ]);
  expect(app.rows("select id, name from service_groups order by id")).toEqual(ids);
  await app.report({ services });
  expect(app.rows(SERVICE_GROUPS)).toEqual([]);
});

test("a member that the document does not list is left out, and joins once it is listed", async () => {
  await app.report({ services: [{ name: "a" }], serviceGroups: { app: ["a", "b"] } });
  expect(app.rows(SERVICE_GROUPS)).toEqual([{ name: "app", service: "a" }]);
  await app.report({ services, serviceGroups: { app: ["a", "b"] } });
  expect(app.rows(SERVICE_GROUPS)).toEqual([
    { name: "app", service: "a" },
    { name: "app", service: "b" },
  ]);
});
