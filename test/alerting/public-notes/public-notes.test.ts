/** What the public is told on status pages about hosts and incidents. */
import { beforeEach, describe, expect, test } from "bun:test";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal, stored } from "../../support/stored.ts";
import { Alerting, fails, recovers } from "../notifications/support.ts";

const HOUR = 3600;
const DAY = 86_400;
const EDGE = { hostGroups: ["edge"] };
const INSIDE = { id: "agent-2", hostname: "vault", hostGroups: ["inside"] };

let alerting: Alerting;
let admin: TestClient;

/** Host 1 of group 1 "edge" with page 1, whose service "web" fails with event 1; host 2 of group 2 "inside". */
beforeEach(async () => {
  alerting = await Alerting.create();
  ({ admin } = alerting);
  await alerting.report(EDGE);
  await alerting.report(INSIDE);
  await alerting.call("admin/statuspages/create", { title: "Edge", hostgroup: 1, slug: "edge" });
  await fails({}, EDGE)(alerting);
});

async function wait(seconds: number): Promise<void> {
  alerting.app.clock.step(seconds);
  await admin.signIn("admin", ADMIN_PASSWORD);
}

const tell = (fields: Fields) => alerting.call("publicnotes/create", fields);
const rows = () => alerting.app.rows("select * from public_notes order by id");
const withdraw = (id: number) => alerting.call("publicnotes/withdraw", { id });
const list = async (fields: Fields, client = admin) =>
  (await client.get("/api/1/publicnotes/list", fields)).json;

/** The texts of the notes on the page "edge": those of now, and the earlier ones. */
async function shown(slug = "edge"): Promise<{ now: string[]; earlier: string[] }> {
  const page = await (await alerting.app.app.request(`/s/${slug}`)).text();
  const [now = "", earlier = ""] = page.split("Earlier notes");
  const textsIn = (html: string) =>
    [...html.matchAll(/<p class="as-written">(.*?)<\/p><p class="note">(.*?)<\/p>/gs)].map(
      ([, text, when = ""]) => `${text} (${when.replaceAll(/<\/?bdi>/g, "")})`,
    );
  return { now: textsIn(now), earlier: textsIn(earlier) };
}

describe("a note on a host", () => {
  test("stands on its status pages with its time, without the name of its author", async () => {
    await tell({ hostid: 1, text: "We replace a disk.\nBack by 16:00." });
    expect(await shown()).toEqual({
      now: ["We replace a disk.\nBack by 16:00. (host-1 · 12:00 UTC)"],
      earlier: [],
    });
    const page = await (await alerting.app.app.request("/s/edge")).text();
    expect(page).not.toContain("admin");
  });

  test("is text, whatever it contains", async () => {
    await tell({ hostid: 1, text: '<img src=x onerror=alert(1)> & "more"' });
    expect((await shown()).now).toEqual([
      "&lt;img src=x onerror=alert(1)&gt; &amp; &quot;more&quot; (host-1 · 12:00 UTC)",
    ]);
  });

  test("is replaced by the next one, and withdrawn, and stays in the history", async () => {
    await tell({ hostid: 1, text: "first" });
    await wait(HOUR);
    await tell({ hostid: 1, text: "second" });
    expect(await shown()).toEqual({
      now: ["second (host-1 · 13:00 UTC)"],
      earlier: ["first (host-1 · 12:00 UTC)"],
    });
    await wait(HOUR);
    await withdraw(2);
    expect(await shown()).toEqual({
      now: [],
      earlier: ["second (host-1 · 13:00 UTC)", "first (host-1 · 12:00 UTC)"],
    });
    const about = { hostid: 1, eventid: 0, servicename: "", uname: "admin", shown: false, endedby: "admin" };
    expect(await list({ hostid: 1 })).toEqual({
      recordsReturned: 2,
      pageSize: 50,
      totalRecords: 2,
      startIndex: 0,
      pages: ["Edge"],
      records: [
        { id: 2, ...about, text: "second", created: START + HOUR, ended: START + 2 * HOUR },
        { id: 1, ...about, text: "first", created: START, ended: START + HOUR },
      ],
    });
  });

  test("is withdrawn once", async () => {
    await tell({ hostid: 1, text: "first" });
    await withdraw(1);
    await wait(HOUR);
    const before = rows();
    await withdraw(1);
    expect(rows()).toEqual(before);
  });

  test("leaves the history after 14 days, and stays as long as nobody withdraws it", async () => {
    await tell({ hostid: 1, text: "first" });
    await tell({ hostid: 1, text: "second" });
    await wait(14 * DAY);
    expect(await shown()).toEqual({
      now: ["second (host-1 · 2026-01-05 12:00 UTC)"],
      earlier: ["first (host-1 · 2026-01-05 12:00 UTC)"],
    });
    await wait(10);
    expect((await shown()).earlier).toEqual([]);
    expect((await list({ hostid: 1 })).totalRecords).toBe(2);
  });

  test("of which there are many is cut to the newest fifty before it", async () => {
    for (let i = 0; i < 55; i++) await tell({ hostid: 1, text: `note ${i}` });
    const { now, earlier } = await shown();
    expect([now[0], earlier.length, earlier[0], earlier.at(-1)]).toEqual([
      "note 54 (host-1 · 12:00 UTC)",
      50,
      "note 53 (host-1 · 12:00 UTC)",
      "note 4 (host-1 · 12:00 UTC)",
    ]);
    const page = await list({ hostid: 1, results: 2, startindex: 3 });
    expect(page).toMatchObject({ totalRecords: 55, records: [{ text: "note 51" }, { text: "note 50" }] });
  });
});

describe("a note on an incident", () => {
  test("stands beside one on its host, and names the service where services are shown", async () => {
    await tell({ eventid: 1, text: "It restarts." });
    await tell({ hostid: 1, text: "New disk." });
    expect((await shown()).now).toEqual([
      "New disk. (host-1 · 12:00 UTC)",
      "It restarts. (host-1 · web · 12:00 UTC)",
    ]);
    await alerting.call("admin/statuspages/create", {
      title: "Hosts",
      hostgroup: 1,
      slug: "hosts",
      services: false,
    });
    expect((await shown("hosts")).now).toEqual([
      "New disk. (host-1 · 12:00 UTC)",
      "It restarts. (host-1 · 12:00 UTC)",
    ]);
  });

  test("says when it was over, and is history a day later", async () => {
    await tell({ eventid: 1, text: "It restarts." });
    await wait(HOUR);
    await recovers({}, EDGE)(alerting);
    await wait(10);
    expect((await shown()).now).toEqual(["It restarts. (host-1 · web · 12:00 UTC · resolved at 13:00 UTC)"]);
    await wait(DAY - 20);
    expect((await shown()).now).toHaveLength(1);
    await wait(10);
    expect(await shown()).toEqual({
      now: [],
      earlier: ["It restarts. (host-1 · web · 2026-01-05 12:00 UTC · resolved at 2026-01-05 13:00 UTC)"],
    });
    expect((await list({ eventid: 1 })).records).toMatchObject([{ ended: 0, shown: false }]);
  });

  test("is replaced by one on a later error of the same incident, not of another", async () => {
    await tell({ eventid: 1, text: "first" });
    await wait(60);
    await fails({}, EDGE)(alerting);
    await tell({ eventid: 2, text: "second" });
    await fails({ service: "db" }, EDGE)(alerting);
    await tell({ eventid: 3, text: "of db" });
    expect(await shown()).toEqual({
      now: ["of db (host-1 · db · 12:01 UTC)", "second (host-1 · web · 12:01 UTC)"],
      earlier: ["first (host-1 · web · 12:00 UTC)"],
    });
    expect((await list({ eventid: 1 })).records).toMatchObject([{ text: "second" }, { text: "first" }]);
    expect((await list({ eventid: 3 })).records).toMatchObject([
      { text: "of db", servicename: "db", eventid: 3 },
    ]);
    expect((await list({ hostid: 1 })).totalRecords).toBe(3);
  });

  test("can still be written on the day after its end", async () => {
    await wait(60);
    await recovers({}, EDGE)(alerting);
    await wait(DAY - 1);
    await tell({ eventid: 1, text: "It was a disk." });
    await wait(1);
    const reply = await expectRefusal(
      alerting.app,
      () => admin.post("/api/1/publicnotes/create", { eventid: 1, text: "late" }),
      400,
      "argument.invalid",
    );
    expect(reply.text).toContain("eventid");
  });

  test("goes with its event", async () => {
    await tell({ eventid: 1, text: "It restarts." });
    alerting.app.db.$client.run("delete from events where id = 1");
    expect(alerting.app.rows("select * from public_notes")).toEqual([]);
    expect(await shown()).toEqual({ now: [], earlier: [] });
  });
});

describe("a host that is deleted and restored", () => {
  test("has its notes again", async () => {
    await tell({ hostid: 1, text: "New disk." });
    const before = rows();
    await alerting.call("admin/hosts/delete", { id: 1 });
    expect(rows()).toEqual([]);
    await alerting.call("admin/hosts/deleted/restore", { hosts: [1] });
    expect(rows()).toEqual(before);
  });
});

describe("rights", () => {
  let user: TestClient;
  beforeEach(async () => {
    await tell({ hostid: 1, text: "New disk." });
    user = await alerting.app.user();
  });
  const note = { text: "mine" };

  test("who sees a host reads its notes, and learns of no status page", async () => {
    expect(await list({ hostid: 1 }, user)).toMatchObject({ pages: [], records: [{ text: "New disk." }] });
    for (const [path, fields] of [
      ["create", { hostid: 1, ...note }],
      ["create", { eventid: 1, ...note }],
      ["withdraw", { id: 1 }],
    ] as const)
      expect((await user.post(`/api/1/publicnotes/${path}`, fields)).status).toBe(403);
  });

  test("who manages its group writes", async () => {
    await admin.post("/api/1/admin/grants/set", { uname: "user", manage: 1 });
    expect((await user.post("/api/1/publicnotes/create", { hostid: 1, ...note })).json).toEqual({ id: 2 });
    expect(await list({ hostid: 1 }, user)).toMatchObject({
      pages: ["Edge"],
      records: [{ uname: "user" }, {}],
    });
    expect((await user.post("/api/1/publicnotes/withdraw", { id: 2 })).status).toBe(200);
  });

  test("to who does not see the host, neither it nor its notes exist", async () => {
    await admin.post("/api/1/admin/grants/set", { uname: "user", manage: 2 });
    for (const fields of [{ hostid: 1 }, { eventid: 1 }]) {
      expect((await user.get("/api/1/publicnotes/list", fields)).status).toBe(404);
      expect((await user.post("/api/1/publicnotes/create", { ...fields, ...note })).status).not.toBe(200);
    }
    await expectRefusal(
      alerting.app,
      () => user.post("/api/1/publicnotes/withdraw", { id: 1 }),
      404,
      "object.unknown",
    );
  });
});

describe("refused, naming the argument", () => {
  test.each<[fields: Fields, argument: string]>([
    [{ text: "what about?" }, "hostid"],
    [{ hostid: 1, eventid: 1, text: "both" }, "eventid"],
    [{ hostid: 99, text: "nobody" }, "hostid"],
    [{ hostid: 1 }, "text"],
    [{ hostid: 1, text: "" }, "text"],
    [{ hostid: 1, text: "x".repeat(1001) }, "text"],
    [{ hostid: "one", text: "x" }, "hostid"],
  ])("%j", async (fields, argument) => {
    const before = stored(alerting.app);
    const reply = await admin.post("/api/1/publicnotes/create", fields);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(argument);
    expect(stored(alerting.app)).toEqual(before);
  });

  test("an event that is no error", async () => {
    await recovers({}, EDGE)(alerting);
    for (const [eventid, status] of [
      [2, 400],
      [99, 404],
    ])
      expect((await admin.post("/api/1/publicnotes/create", { eventid, text: "x" })).status).toBe(
        status ?? 0,
      );
    expect((await list({ eventid: 2 })).records).toEqual([]);
  });

  test("a list of neither or both", async () => {
    for (const fields of [{}, { hostid: 1, eventid: 1 }])
      expect((await admin.get("/api/1/publicnotes/list", fields)).status).toBe(400);
  });
});
