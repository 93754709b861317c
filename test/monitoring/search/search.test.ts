import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";

const SEARCH = "/api/1/status/search";

const app = new TestApp();
for (const [id, hostname, services] of [
  ["a", "web1.oslo.example", ["nginx", "Data disk"]],
  ["b", "web2.bergen.example", ["nginx"]],
  ["c", "Ärger.example", ["sshd"]],
] as const)
  await app.report({
    id,
    hostname,
    services: services.map((name) => ({ name, status: name === "nginx" ? 512 : 0 })),
    hostGroups: id === "a" ? ["Oslo"] : [],
  });
const user = await app.user();
const admin = await app.admin();

test("hosts are found by the beginnings of words of their names, in order", async () => {
  const { json } = await user.get(`${SEARCH}?text=WEB+ex`);
  expect(json.hosts).toEqual([
    { id: 1, name: "web1.oslo.example", led: expect.any(Number) },
    { id: 2, name: "web2.bergen.example", led: expect.any(Number) },
  ]);
  expect((await user.get(`${SEARCH}?text=eb1`)).json.hosts).toEqual([]);
  expect((await user.get(`${SEARCH}?text=${encodeURIComponent("ärg")}`)).json.hosts[0]?.id).toBe(3);
});

test("a service is found by words of its name and its host's name, but not by the host's alone", async () => {
  const { json } = await user.get(`${SEARCH}?text=ngi+bergen`);
  expect(json.services).toEqual([
    { id: expect.any(Number), name: "nginx", hostid: 2, hostname: "web2.bergen.example", led: 0 },
  ]);
  expect((await user.get(`${SEARCH}?text=bergen`)).json.services).toEqual([]);
  expect((await user.get(`${SEARCH}?text=disk`)).json.services[0]?.name).toBe("Data disk");
});

test("names without letters and digits are found by what is in them, and a name with words still by these", async () => {
  const other = new TestApp();
  for (const [id, hostname] of [
    ["a", "🔥"],
    ["b", "🔥 ★"],
    ["c", "web 🔥"],
  ] as const)
    await other.report({ id, hostname, services: [{ name: "★ disk" }], hostGroups: ["★"] });
  const client = await other.admin();
  const found = async (text: string) => (await client.get(SEARCH, { text })).json;
  const hosts = async (text: string) => (await found(text)).hosts.map(({ name }: { name: string }) => name);
  expect(await hosts("🔥")).toEqual(["web 🔥", "🔥", "🔥 ★"]);
  expect(await hosts("★ 🔥")).toEqual(["🔥 ★"]);
  expect(await hosts("*")).toEqual([]);
  expect(await hosts("web ★")).toEqual(["web 🔥"]);
  expect((await found("★")).services).toHaveLength(3);
  expect((await found("★")).groups).toEqual([{ id: 1, name: "★" }]);
});

test("users find the host groups of which they see a host", async () => {
  for (const client of [admin, user])
    expect((await client.get(`${SEARCH}?text=oslo`)).json.groups).toEqual([{ id: 1, name: "Oslo" }]);
  await admin.post("/api/1/admin/groups/create", { name: "Bergen", id: [2] });
  const { id } = (await admin.post("/api/1/admin/groups/create", { name: "Bodø" })).json;
  expect((await admin.get(`${SEARCH}?text=b`)).json.groups).toHaveLength(2);
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: [id] });
  expect((await user.get(`${SEARCH}?text=b`)).json.groups).toEqual([{ id, name: "Bodø" }]);
  expect((await user.get(`${SEARCH}?text=oslo&members=1`)).json).toMatchObject({
    groups: [],
    members: [{ part: "oslo", hosts: [] }],
  });
  await admin.post("/api/1/admin/grants/set", { uname: "user", restricted: false });
  await admin.post("/api/1/admin/groups/delete", { id });
});

test("groups are found and sorted in any alphabet, however their letters are composed", async () => {
  for (const name of ["Äpfel rot", "ähre rot", "Re\u0301gion"])
    await admin.post("/api/1/admin/groups/create", { name });
  const groups = async (text: string) =>
    (await admin.get(SEARCH, { text })).json.groups.map(({ name }: { name: string }) => name);
  expect(await groups("rot")).toEqual(["ähre rot", "Äpfel rot"]);
  expect(await groups("ÄPF")).toEqual(["Äpfel rot"]);
  expect(await groups("r\u00e9gion")).toEqual(["Re\u0301gion"]);
});

test("a text in another alphabet finds only the names that contain it", async () => {
  const fleet = new TestApp();
  for (const [hostname, service] of [
    ["web1", "nginx"],
    ["база", "сервис"],
    ["日本語サーバー", "監視1"],
  ] as const)
    await fleet.report({
      id: hostname,
      hostname,
      services: [{ name: service }],
      event: { service, message: "failed" },
    });
  const viewer = await fleet.user();
  const found = async (text: string) => {
    const { hosts, services, members } = (await viewer.get(SEARCH, { text, members: 1 })).json;
    const { totalRecords } = (await viewer.get("/api/1/reports/events/list", { text })).json;
    return [
      hosts.map(({ id }: { id: number }) => id),
      services.map(({ id }: { id: number }) => id),
      members[0].hosts,
      totalRecords,
    ];
  };
  expect(await found("БАЗ")).toEqual([[2], [], [], 1]);
  expect(await found("сер")).toEqual([[], [2], [2], 1]);
  expect(await found("日本")).toEqual([[3], [], [], 1]);
  expect(await found("サーバー")).toEqual([[3], [], [], 1]);
  expect(await found("視1")).toEqual([[], [3], [3], 1]);
  expect(await found("ж")).toEqual([[], [], [], 0]);
});

test("hosts are found by the names of their services and groups, part by part of the text", async () => {
  const members = async (text: string) => (await user.get(SEARCH, { text, members: 1 })).json.members;
  expect(await members("nginx OSL")).toEqual([
    { part: "nginx", hosts: [1, 2] },
    { part: "OSL", hosts: [1] },
  ]);
  expect(await members("data-disk")).toEqual([{ part: "data-disk", hosts: [1] }]);
  expect(await members("web1 %")).toEqual([
    { part: "web1", hosts: [] },
    { part: "%", hosts: [] },
  ]);
});

test("hosts are found by signs in the names of their services and groups", async () => {
  const fleet = new TestApp();
  await fleet.report({ id: "a", hostname: "a", services: [{ name: "★" }, { name: "⚙️ engine" }] });
  await fleet.report({ id: "b", hostname: "b", services: [], hostGroups: ["★ stars"] });
  const viewer = await fleet.user();
  const { members } = (await viewer.get(SEARCH, { text: "★ ⚙️", members: 1 })).json;
  expect(members).toEqual([
    { part: "★", hosts: [1, 2] },
    { part: "⚙️", hosts: [1] },
  ]);
});

test("every user finds tags by parts of them, in any case, with the number of hosts that have them", async () => {
  await admin.post("/api/1/admin/tags/add", { tags: ["env=prod"], hosts: [1, 2] });
  await admin.post("/api/1/admin/tags/add", { tags: ["env=test", "site"], hosts: [3] });
  const tags = async (text: string) => (await user.get(SEARCH, { text })).json.tags;
  expect(await tags("ENV=Prod")).toEqual([{ tag: "env=prod", hosts: 2 }]);
  expect(await tags("env")).toEqual([
    { tag: "env=prod", hosts: 2 },
    { tag: "env=test", hosts: 1 },
  ]);
  expect(await tags("env oslo")).toEqual([]);
});

test("results are limited, and a text that no name has finds nothing", async () => {
  expect((await user.get(`${SEARCH}?text=example&results=1`)).json.hosts).toHaveLength(1);
  expect((await user.get(`${SEARCH}?text=%25`)).json).toEqual({
    hosts: [],
    services: [],
    groups: [],
    tags: [],
  });
  expect((await user.get(`${SEARCH}?text=`)).status).toBe(400);
  expect((await user.get(`${SEARCH}?text=a&results=51`)).status).toBe(400);
});

test("a service that vanished is not found", async () => {
  app.clock.step(30);
  await app.report({ id: "c", hostname: "Ärger.example", services: [{ name: "cron" }], at: app.clock.now() });
  expect((await user.get(`${SEARCH}?text=sshd`)).json.services).toEqual([]);
  expect((await user.get(`${SEARCH}?text=cron`)).json.services).toHaveLength(1);
});
