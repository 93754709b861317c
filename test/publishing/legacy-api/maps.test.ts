import { expect, test } from "bun:test";
import { LEGACY_MOUNTS } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { LegacyClient } from "./older-client.ts";

const app = new TestApp();
await app.report({ id: "a", hostname: "web1", hostGroups: ["web"], services: [{ name: "nginx" }] });
await app.report({ id: "b", hostname: "blåbær", services: [{ name: "__proto__" }] });
const client = new LegacyClient(app);
await client.login("user", USER_PASSWORD);

const MAPS: readonly [branch: string, names: Record<string, string>][] = [
  ["host", { 1: "web1", 2: "blåbær" }],
  ["hostgroup", { 1: "web" }],
  ["hoststatus", { 0: "Active", 1: "Inactive", 2: "Ignored" }],
  ["servicename", { 1: "nginx", 2: "__proto__" }],
  [
    "servicetype",
    {
      0: "Filesystem",
      1: "Directory",
      2: "File",
      3: "Process",
      4: "Remote Host",
      5: "System",
      6: "Fifo",
      7: "Program",
      8: "Network",
    },
  ],
  ["statetype", { 0: "Success", 1: "Error", 2: "Change" }],
  ["range", { 0: "now", 5: "week", 6: "month", 7: "three months", 8: "six months", 9: "year", 12: "custom" }],
  [
    "action",
    {
      0: "Ignored",
      1: "Alert",
      2: "Restart",
      3: "Stop",
      4: "Exec",
      5: "Unmonitor",
      6: "Start",
      7: "Monitor",
    },
  ],
];

for (const mount of LEGACY_MOUNTS)
  for (const [branch, names] of MAPS)
    test(`${mount}/map/id/${branch} and ${mount}/map/name/${branch} tell the same, by GET and by POST`, async () => {
      const ids = Object.fromEntries(Object.entries(names).map(([id, name]) => [name, Number(id)]));
      for (const method of ["get", "post"] as const) {
        const byId = await client[method](`${mount}/map/id/${branch}`);
        expect(Object.entries(byId.json.map.id[branch])).toEqual(Object.entries(names));
        expect(Object.keys(byId.json.map)).toEqual(["id"]);
        const byName = await client[method](`${mount}/map/name/${branch}`);
        expect(new Map(Object.entries(byName.json.map.name[branch]))).toEqual(new Map(Object.entries(ids)));
      }
    });

test("each kind of statistic has a name of its own, so that it can be found by it", async () => {
  const byId: Record<string, string> = (await client.get("/map/id/statisticstype")).json.map.id
    .statisticstype;
  const byName = (await client.get("/map/name/statisticstype")).json.map.name.statisticstype;
  expect(Object.keys(byName)).toHaveLength(Object.keys(byId).length);
  for (const [id, name] of Object.entries(byId)) expect(byName[name]).toBe(Number(id));
  expect([byId[0], byId[4], byId[5]]).toEqual(["load average", "memory usage percent", "memory usage kB"]);
});

test("maps are for signed-in users, administrators or not", async () => {
  const admin = new LegacyClient(app);
  expect((await admin.get("/map/id/host")).headers.get("Content-Type")).toBe("text/html");
  await admin.login("admin", ADMIN_PASSWORD);
  expect((await admin.get("/map/id/host")).json.map.id.host).toEqual({ 1: "web1", 2: "blåbær" });
});
