/** Objects about what was deleted: which of them an export contains, and that it names the others. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { CommandFolder } from "../commands/support.ts";
import { type Document, exported, furnished, importInto } from "./support.ts";

async function deleteGroup(app: TestApp, admin: TestClient, name: string): Promise<void> {
  const [group] = app.rows<{ id: number }>(`select id from host_groups where name = '${name}'`);
  await admin.post("/api/1/admin/groups/delete", { id: group?.id ?? 0 });
}

const namesIn = (document: Document, section: string) =>
  (document[section] as { name: string }[]).map(({ name }) => name);

describe("an export", () => {
  test("leaves out nothing as long as nothing was deleted", async () => {
    const { admin } = await furnished();
    expect((await exported(admin)).leftout).toEqual([]);
  });

  test("leaves out a key whose groups were all deleted, as without groups it may take any host, and says so", async () => {
    const { app, admin } = await furnished();
    await deleteGroup(app, admin, "edge");
    const document = await exported(admin, true);
    expect(document.keys).toEqual([]);
    expect(document.leftout).toContainEqual({ section: "keys", name: "edge" });
    expect((await importInto(await new TestApp().admin(), document)).status).toBe(200);
  });

  test("names the filters and views that it leaves out, since they would show more", async () => {
    const { app, admin } = await furnished();
    await deleteGroup(app, admin, "edge");
    expect((await exported(admin)).leftout).toEqual([
      { section: "keys", name: "edge" },
      { section: "filters", name: "edge" },
      { section: "filters", name: "failing" },
      { section: "views", name: "disks" },
    ]);
  });

  test("names a filter by a service group, which has no name in a file", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    await app.report({ services: [{ name: "nginx" }], serviceGroups: { web: ["nginx"] } });
    const [group] = (await admin.get("/api/1/status/servicegroups/list")).json.records;
    const filter = { screen: "events", servicegroupid: group.id };
    expect((await admin.post("/api/1/filters/create", { name: "web", filter } as never)).status).toBe(200);
    const document = await exported(admin);
    expect([document.filters, document.leftout]).toEqual([[], [{ section: "filters", name: "web" }]]);
  });

  test("keeps a view whose compared hosts were all deleted: it compares nothing", async () => {
    const { admin } = await furnished();
    for (const id of [1, 2]) await admin.post("/api/1/admin/hosts/delete", { id });
    const document = await exported(admin);
    expect(namesIn(document, "views")).toEqual(["disks", "load"]);
    expect((document.views as object[])[1]).toMatchObject({ name: "load", hosts: [], services: [] });
    expect((await importInto(await new TestApp().admin(), document)).status).toBe(200);
  });

  test("keeps an expected host whose groups were all deleted: it joins none", async () => {
    const { app, admin } = await furnished();
    await deleteGroup(app, admin, "edge");
    expect((await exported(admin)).expected).toMatchObject([
      { hostname: "e-1", hostgroups: [], tags: ["n=1"] },
    ]);
  });
});

test("the command prints what an export leaves out beside the file", async () => {
  const { app, admin } = await furnished();
  await deleteGroup(app, admin, "edge");
  using source = new CommandFolder().fill(app);
  const { code, out, err } = await source.run("export");
  expect([code, err[0], err.length]).toEqual([
    0,
    'left out: keys, "edge": all that it is about was deleted or has no name',
    4,
  ]);
  expect(JSON.parse(out.join("\n")).leftout).toHaveLength(4);
});
