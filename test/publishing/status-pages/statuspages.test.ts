import { beforeEach, describe, expect, test } from "bun:test";
import { type ApiError, errors } from "../../../src/platform/http/errors.ts";
import type { PreparedReply } from "../../../src/platform/http/prepared.ts";
import type { Turn } from "../../../src/platform/http/turn.ts";
import { prepare } from "../../../src/platform/queries/query-reply.ts";
import { ShownPages } from "../../../src/publishing/status-pages/shown-pages.ts";
import type { ShownPage } from "../../../src/publishing/status-pages/status-pages.queries.ts";
import type { Fields } from "../../support/client.ts";
import { TestClock } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/statuspages/${operation}`;

/** Group 1 "edge" with the hosts web and db; group 2 "inside" with the host vault; page 1 of edge. */
appOfEachTest(async () => {
  const services = [{ name: "nginx" }, { name: "disk", status: 1 }];
  await app.report({ id: "a-web", hostname: "web", services, hostGroups: ["edge"] });
  await app.report({ id: "a-db", hostname: "db", services: [{ name: "postgres" }], hostGroups: ["edge"] });
  await app.report({
    id: "a-vault",
    hostname: "vault",
    services: [{ name: "keys" }],
    hostGroups: ["inside"],
  });
  await admin.post(path("create"), { title: "Edge", hostgroup: 1, slug: "edge" });
});

const call = (operation: string, fields: Fields) => admin.post(path(operation), fields);
const visit = (url: string) => app.app.request(url);

describe("a page of hosts with tags", () => {
  const shown = async () => {
    const page = await (await visit("/s/tagged")).text();
    return ["web", "db", "vault"].filter((name) => new RegExp(`\\b${name}\\b`).test(page));
  };
  const listed = async () =>
    (await admin.get(path("list"))).json.records.map(({ tags }: { tags: string[] }) => tags);

  beforeEach(async () => {
    await admin.post("/api/1/admin/tags/add", { hosts: [1, 3], tags: ["public", "tier=1"] });
    await call("create", { title: "Tagged", hostgroup: 1, slug: "tagged", tags: ["Public", "tier=1"] });
  });

  test("shows those of the group alone that have them, in its badge too", async () => {
    expect(await shown()).toEqual(["web"]);
    const badge = await (await visit("/s/tagged/badge.svg")).text();
    expect(badge).toContain("1 of 1 host has problems");
    expect((await visit("/s/tagged/badge.svg?host=db")).status).toBe(404);
    expect(await listed()).toEqual([[], ["public", "tier=1"]]);
  });

  test("follows the tags of hosts and those of the page; without any it shows the whole group", async () => {
    await admin.post("/api/1/admin/tags/remove", { hosts: [1], tags: ["tier=1"] });
    app.pass(10);
    expect(await shown()).toEqual([]);
    await call("update", { id: 2, tags: ["public"] });
    expect(await shown()).toEqual(["web"]);
    await call("update", { id: 2, title: "Still tagged" });
    expect(await listed()).toEqual([[], ["public"]]);
    await call("update", { id: 2, tags: [] });
    expect(await shown()).toEqual(["web", "db"]);
    await expectRefusal(app, () => call("update", { id: 2, tags: ["a*b"] }), 400, "argument.invalid");
  });
});

describe("statuspages/create", () => {
  test("chooses an address that nobody can guess when none is given", async () => {
    await call("create", { title: "A", hostgroup: 1 });
    await call("create", { title: "B", hostgroup: 1, slug: null });
    const [{ slug: first }, { slug: second }] = (await admin.get(path("list"))).json.records;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect((await visit(`/s/${first}`)).status).toBe(200);
  });

  test("refuses what is no address", async () => {
    const right = { title: "Edge", hostgroup: 1, slug: "new" };
    for (const slug of ["", "-a", "a-", "A", "a/b", "a.b", "ä", "x".repeat(65)]) {
      const refused = () => call("create", { ...right, slug });
      expect((await expectRefusal(app, refused, 400, "argument.invalid")).json.error).toStartWith("slug");
    }
  });
});

test("statuspages/list gives every page with its group and address, by title", async () => {
  await call("create", { title: "At home", hostgroup: 2, slug: "home", services: false });
  const created = app.clock.now();
  expect((await admin.get(path("list"))).json).toEqual({
    totalRecords: 2,
    records: [
      {
        manage: true,
        id: 2,
        title: "At home",
        hostgroup: 2,
        groupname: "inside",
        tags: [],
        slug: "home",
        path: "/s/home",
        services: false,
        created,
      },
      {
        manage: true,
        id: 1,
        title: "Edge",
        hostgroup: 1,
        groupname: "edge",
        tags: [],
        slug: "edge",
        path: "/s/edge",
        services: true,
        created,
      },
    ],
  });
});

describe("statuspages/update", () => {
  test("changes what is given, at once, and keeps the rest", async () => {
    expect(await (await visit("/s/edge")).text()).toContain("nginx");
    const before = stored(app);
    expect((await call("update", { id: 1, title: "The edge", services: false })).status).toBe(200);
    expect(changedTables(app, before)).toEqual(["status_pages"]);
    const page = await (await visit("/s/edge")).text();
    expect(page).toContain("The edge");
    expect(page).not.toContain("nginx");
  });

  test("moves a page: its address before leads nowhere", async () => {
    await call("update", { id: 1, slug: "rim" });
    expect((await visit("/s/edge")).status).toBe(404);
    expect((await visit("/s/rim")).status).toBe(200);
  });
});

test("a deleted page is gone at once, and so is that of a deleted group", async () => {
  await call("create", { title: "Inside", hostgroup: 2, slug: "inside" });
  await visit("/s/edge");
  const before = stored(app);
  expect((await call("delete", { id: 1 })).status).toBe(200);
  expect(changedTables(app, before)).toEqual(["status_pages"]);
  expect((await visit("/s/edge")).status).toBe(404);
  await admin.post("/api/1/admin/groups/delete", { id: 2 });
  expect((await visit("/s/inside")).status).toBe(404);
  await expectRefusal(app, () => call("delete", { id: 1 }), 404, "object.unknown");
});

describe("a page", () => {
  test("shows the hosts of its group and their services, the worst first, and nobody else's", async () => {
    const reply = await visit("/s/edge");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(reply.headers.get("Referrer-Policy")).toBe("no-referrer");
    const page = await reply.text();
    expect(page).toContain("1 of 2 hosts have problems");
    expect(page.indexOf(">web<")).toBeLessThan(page.indexOf(">db<"));
    expect(page.indexOf(">disk<")).toBeLessThan(page.indexOf(">nginx<"));
    expect(page).not.toContain("vault");
    expect(page).not.toContain("keys");
    expect(page).not.toMatch(/<script|style=|href="(?!\/s\.css|data:,|\?)/);
  });

  test("leads to nothing else: no cookie, no id, and unknown addresses all answer alike", async () => {
    const reply = await visit("/s/edge");
    expect(reply.headers.get("Set-Cookie")).toBeNull();
    expect(await reply.text()).not.toContain("a-web");
    const answers = await Promise.all(
      [
        "/s/none",
        "/s/EDGE",
        "/s/edge/",
        "/s/edge/hosts",
        "/s/none/badge.svg",
        "/s/edge/badge.svg?host=vault",
      ].map(async (url) => [url, (await visit(url)).status]),
    );
    expect(answers.map(([, status]) => status)).toEqual(answers.map(() => 404));
    expect((await app.app.request("/s/edge", { method: "POST" })).status).toBe(405);
  });

  test("says in words when there is none at an address, and keeps that nowhere", async () => {
    const reply = await visit("/s/none");
    expect(reply.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(reply.headers.get("Cache-Control")).toBe("no-store");
    expect(reply.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(await reply.text()).toContain("<h1>Page not found</h1>");
  });

  test("is put together anew after 10 seconds", async () => {
    await visit("/s/edge");
    await app.report({ id: "a-new", hostname: "newcomer", services: [], hostGroups: ["edge"] });
    app.clock.step(9);
    expect(await (await visit("/s/edge")).text()).not.toContain("newcomer");
    app.clock.step(1);
    expect(await (await visit("/s/edge")).text()).toContain("newcomer");
  });

  test("escapes what agents and administrators call things", async () => {
    const hostile = `<img src=x onerror="alert(1)">`;
    await app.report({
      id: "a-evil",
      hostname: hostile,
      services: [{ name: `"><b>` }],
      hostGroups: ["edge"],
    });
    await call("update", { id: 1, title: "<i>Edge</i>" });
    const page = await (await visit("/s/edge")).text();
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<b>");
    expect(page).not.toContain("<i>");
    const picture = await (await visit(`/s/edge/badge.svg?host=${encodeURIComponent(hostile)}`)).text();
    expect(picture).toStartWith("<svg");
    expect(picture).not.toContain("<img");
  });

  test("keeps names that turn what follows from turning anything else", async () => {
    const [hostname, service] = ["web\u202egnp.exe", "nginx\u2067"];
    await app.report({ id: "a-web", hostname, services: [{ name: service }], hostGroups: ["edge"] });
    await admin.post("/api/1/publicnotes/create", { hostid: 1, text: "We replace a disk." });
    const page = await (await visit("/s/edge")).text();
    expect(page).toContain(`<span class="name"><bdi>${hostname}</bdi></span>`);
    expect(page).toContain(`<span class="name"><bdi>${service}</bdi></span>`);
    expect(page).toContain(`<p class="note"><bdi>${hostname}</bdi> · 12:00 UTC</p>`);
  });

  test("renews itself every minute, unless its reader stops that", async () => {
    const renewing = await visit("/s/edge");
    expect(renewing.headers.get("Refresh")).toBe("60");
    expect(await renewing.text()).toContain('<a href="?renew=0">Pause</a>');
    const still = await visit("/s/edge?renew=0");
    expect(still.headers.get("Refresh")).toBeNull();
    expect(await still.text()).toContain('<a href="?">Resume</a>');
  });

  test("tells for how much of the last 30 days each host was up, and nothing of one that never counted", async () => {
    const page = async () => await (await visit("/s/edge")).text();
    expect(await page()).not.toContain("up in 30 days");
    // Both fall silent; one of them returns, which changes nothing about the time before.
    app.pass(900);
    await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["edge"] });
    const { items } = (await admin.get("/api/1/reports/uptime/list", { range: 6 })).json;
    const expected = items.map(
      ({ uptime }: { uptime: number }) => `${Math.floor(uptime * 1000) / 1000}% up in 30 days`,
    );
    const shown = await page();
    for (const text of expected.slice(0, 2)) expect(shown).toContain(text);
    expect(shown).not.toContain("100% up");
    expect(shown).toContain("Bars show the last 24 hours: green is up, orange is degraded, red is down.");
  });

  test("shows nothing of a silent host as well: its services are unknown, since its last report", async () => {
    app.pass(900);
    await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["edge"] });
    const page = await (await visit("/s/edge")).text();
    // The host that is down comes first.
    const [, silent = "", reporting = ""] = page.split("<li><details");
    expect(silent).toContain(">db<");
    expect(silent).toContain("Down, no report since 12:00 UTC");
    expect(silent).toContain("No data since 12:00 UTC");
    expect(silent).not.toMatch(/led green|>OK</);
    expect(reporting).toContain(">OK<");
  });

  test("names times in the time zone of reports, with the date unless it is of today", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Europe/Berlin" });
    app.pass(900);
    const page = await (await visit("/s/edge")).text();
    expect(page).toContain("Down, no report since 13:00 CET");
    expect(page).toMatch(/As of <time datetime="2026-01-05T12:\d\d:\d\d\.000Z">13:\d\d CET<\/time>/);
    app.pass(86_400);
    expect(await (await visit("/s/edge")).text()).toContain("Down, no report since 2026-01-05 13:00 CET");
  });

  test("says of what is in maintenance and of what somebody takes care, without names and notes", async () => {
    const page = async () => {
      app.clock.step(10);
      return (await visit("/s/edge")).text();
    };
    const event = { service: "disk", message: "disk is full" };
    const services = [{ name: "nginx" }, { name: "disk", status: 512 }];
    await app.report({ id: "a-web", hostname: "web", services, event, hostGroups: ["edge"] });
    expect(await page()).not.toContain('class="handled"');
    const { records } = (await admin.get("/api/1/reports/events/list", { active: 1 })).json;
    const acknowledge = { id: records[0].id, note: "ordered a disk" };
    expect((await admin.post("/api/1/problems/acknowledge", acknowledge)).status).toBe(200);
    const html = await page();
    expect(html.match(/<span class="handled">acknowledged<\/span>/g)).toHaveLength(2);
    const { id } = (await admin.get("/api/1/status/hosts/list", { hostname: "db" })).json.records.find(
      ({ hostname }: { hostname: string }) => hostname === "db",
    );
    await admin.post("/api/1/mutes/create", { filter: { hosts: [id] }, minutes: 60, note: "secret plan" });
    const muted = await page();
    expect(muted.match(/<span class="handled">maintenance until 13:\d\d UTC/g)).toHaveLength(1);
    expect(muted).not.toMatch(/secret plan|ordered a disk|admin/);
  });

  test("draws the last 24 hours of each host in half hours", async () => {
    app.pass(1800);
    await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["edge"] });
    const page = await (await visit("/s/edge")).text();
    expect(page.match(/<rect/g)).toHaveLength(2 * 48);
    expect(page).toMatch(/aria-label="Last 24 hours: down in \d[\d.]* h, degraded in 0 h"/);
  });

  test("says that there is no data of a host that did not count in the last 24 hours", async () => {
    await admin.post("/api/1/admin/hosts/bulk/update", { hosts: [2], ignored: true });
    app.clock.step(90_000);
    await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["edge"] });
    app.clock.step(3600);
    const labels = [...(await (await visit("/s/edge")).text()).matchAll(/aria-label="(Last[^"]*)"/g)];
    expect(labels.map(([, label]) => label)).toEqual(["Last 24 hours: no outage", "Last 24 hours: no data"]);
  });

  test("works uptime out anew once a minute", async () => {
    const page = async () => await (await visit("/s/edge")).text();
    await page();
    app.clock.step(50);
    expect(await page()).not.toContain("up in 30 days");
    app.clock.step(10);
    expect(await page()).toContain("100% up in 30 days");
  });

  test("of an empty group says so", async () => {
    await admin.post("/api/1/admin/groups/create", { name: "empty" });
    await call("create", { title: "Nothing", hostgroup: 3, slug: "nothing" });
    const page = await (await visit("/s/nothing")).text();
    expect(page).toContain("No data");
    expect(page).toContain("no hosts here yet");
  });
});

describe("a badge", () => {
  const badge = async (query = "") => (await visit(`/s/edge/badge.svg${query}`)).text();

  test("tells the state of the group in words, for other sites to show", async () => {
    const reply = await visit("/s/edge/badge.svg");
    expect(reply.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
    expect(reply.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
    expect(await reply.text()).toContain("Edge: 1 of 2 hosts have problems");
  });

  test("tells that of one host of the group", async () => {
    expect(await badge("?host=db")).toContain("db: OK (1 service)");
    expect(await badge("?host=web")).toContain("web: 1 of 2 services OK");
  });

  test("is well-formed whatever a page is called", async () => {
    await call("update", { id: 1, title: "Bell \u0007 and \uffff" });
    // What XML does not allow at all, escaped or not.
    expect(await badge()).not.toMatch(/[^\P{Cc}\n]|\uffff/u);
  });

  test("is as wide as its letters, which can take the place of two or none", async () => {
    const widthOf = async (title: string) => {
      await call("update", { id: 1, title });
      app.clock.step(10);
      return Number(/width="(\d+)"/.exec(await badge())?.[1]);
    };
    const latin = await widthOf("abcdef");
    expect(await widthOf("\u65e5\u672c\u8a9e")).toBe(latin);
    expect(await widthOf("abcde\u0301f")).toBe(latin);
    await call("update", { id: 1, title: "Edge" });
  });

  test("is green only when every host is known to be fine", async () => {
    await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["edge"] });
    app.clock.step(10);
    expect(await badge()).toContain("Edge: All operational");
    await admin.post("/api/1/admin/hosts/update", {
      id: 2,
      hostname: "db",
      agentuser: "",
      agentpassword: "",
      status: 2,
    });
    app.clock.step(10);
    const partly = await badge();
    expect(partly).toContain("Edge: 1 of 2 hosts operational, no data from the others");
    expect(partly).toContain("○");
    await admin.post("/api/1/admin/hosts/update", {
      id: 2,
      hostname: "db",
      agentuser: "",
      agentpassword: "",
      status: 0,
    });
    app.pass(300);
    expect(await badge()).toContain("Edge: 2 of 2 hosts have problems");
  });
});

describe("while a page is being read", () => {
  const PAGE = {
    id: 1,
    title: "Edge",
    hostgroup: 1,
    tags: [],
    slug: "edge",
    services: true,
    createdAt: 1000,
  };

  /** Copies whose readings end when the test says so, with what it says. */
  function held() {
    const clock = new TestClock();
    const readings: PromiseWithResolvers<PreparedReply<ShownPage>>[] = [];
    const turns: Turn[] = [];
    const publicPage = (turn: Turn) => {
      turns.push(turn);
      readings.push(Promise.withResolvers());
      return (readings.at(-1) as (typeof readings)[number]).promise;
    };
    const pages = new ShownPages(clock, { publicPage });
    const show = async (title = "Edge") => (await pages.of({ ...PAGE, title }, true)).html;
    const end = (html: string) =>
      readings.shift()?.resolve(prepare({ html, overall: {}, hosts: [] }) as PreparedReply<ShownPage>);
    const fail = () => readings.shift()?.reject(errors.busy("Too many long queries are waiting"));
    return { clock, pages, readings, turns, show, end, fail };
  }

  test("everybody waits for the same query, and after that has the copy", async () => {
    const { readings, turns, show, end } = held();
    const visits = [show(), show(), show()];
    expect(readings).toHaveLength(1);
    end("first");
    expect(await Promise.all(visits)).toEqual(["first", "first", "first"]);
    expect(await show()).toBe("first");
    expect(turns).toEqual(["status pages"]);
  });

  test("others see the copy of before, and so does everybody when it cannot be read", async () => {
    const { clock, readings, show, end, fail } = held();
    const visits = [show()];
    end("old");
    await visits[0];
    clock.step(10);
    const renewing = show();
    expect(await show()).toBe("old");
    expect(readings).toHaveLength(1);
    end("new");
    expect([await renewing, await show()]).toEqual(["new", "new"]);
    clock.step(299);
    const failing = show();
    fail();
    expect(await failing).toBe("new");
    clock.step(1);
    const refused = show().catch((error: ApiError) => error.status);
    fail();
    expect(await refused).toBe(503 as never);
  });

  test("a change takes effect at once, also for a query that began before it", async () => {
    const { pages, readings, show, end } = held();
    const before = show();
    pages.forget();
    const after = show("Edge of town");
    expect(readings).toHaveLength(2);
    end("before");
    end("after");
    expect([await before, await after]).toEqual(["before", "after"]);
    expect(await show("Edge of town")).toBe("after");
  });
});

test("a page names at most 5,000 services, those of the worst hosts", async () => {
  const services = Array.from({ length: 900 }, (_, i) => ({ name: `service ${i}` }));
  for (let i = 0; i < 6; i++)
    await app.report({ id: `many ${i}`, hostname: `many ${i}`, services, hostGroups: ["many"] });
  await call("create", { title: "Many", hostgroup: 3, slug: "many" });
  const page = await (await visit("/s/many")).text();
  expect(page.split("<details").length - 1).toBe(5);
  expect(page.split(">service 7<").length - 1).toBe(5);
  expect(page).toContain("many 5");
});
