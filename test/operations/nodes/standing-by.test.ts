/** What a standby reports: about itself, the other nodes, and a database that it cannot use. */
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectionLog } from "../../../src/operations/nodes/waiting-node.ts";
import { createLog } from "../../../src/platform/log.ts";
import { VERSION } from "../../../src/platform/version.ts";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { migratedDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { WaitingNode } from "./waiting-node.ts";

const { beforeAll, test } = postgresTests();

beforeAll(() => {
  server.query("create role muster login superuser");
});

function database() {
  const name = migratedDatabase();
  return { url: server.url(name), sql: (text: string) => server.query(text, name) };
}

const standsBy = (node: WaitingNode) =>
  eventually("it is a standby", () => node.output.includes("this one is a standby"));
const state = async (node: WaitingNode) => (await node.answer()).json();

/** An active node and a standby, as another user of the server if the test can do without that one. */
async function pair(cwd: string, url: string, urlOfStandby = url) {
  const active = new WaitingNode({ name: "alpha", cwd, url });
  await active.setUp();
  active.lendKey(cwd, "beta");
  const standby = new WaitingNode({ name: "beta", cwd, url: urlOfStandby });
  await standsBy(standby);
  return { active, standby };
}

test("a standby says since when it is one, and on its machine which node is active", async () => {
  using folder = temporaryFolder();
  const { url, sql } = database();
  const { active, standby } = await pair(folder.path, url);
  await using _active = active;
  await using _standby = standby;
  (await active.active()).nodes?.activated();
  const nodes = await eventually("it has read the nodes", async () => {
    const said = await state(standby);
    return said.active === "alpha" && said;
  });
  expect(nodes).toEqual({
    code: "standby",
    message: "Another Muster is active",
    since: expect.any(Number),
    active: "alpha",
    nodesread: expect.any(Number),
  });
  // No one else learns of nodes.
  const forwarded = await standby.answer("/healthz", { Via: "1.1 proxy" });
  expect({ status: forwarded.status, body: await forwarded.json() }).toEqual({
    status: 503,
    body: { code: "standby", message: "Another Muster is active", since: nodes.since },
  });
  const metrics = await (await standby.answer("/metrics")).text();
  const samples = metrics.split("\n").filter((line) => line.startsWith("muster_"));
  expect(samples).toEqual(
    expect.arrayContaining([
      `muster_node_active{node="alpha",version="${VERSION}"} 1`,
      "muster_database_reached 1",
      `muster_node_state_since_timestamp_seconds{state="standby"} ${nodes.since}`,
      expect.stringMatching(/^muster_nodes_read_timestamp_seconds \d+$/),
    ]),
  );
  expect(sql("select count(*) from muster_nodes")).toBe("2");
});

test("a standby says once why the database is away or rejects it, and continues when it is back", async () => {
  using folder = temporaryFolder();
  const { url } = database();
  const { active, standby } = await pair(folder.path, url, url.replace("postgres@", "muster@"));
  await using _active = active;
  await using _standby = standby;
  const linesAbout = (text: string) => standby.lines.filter((line) => line.includes(text));

  const hba = join(server.folder, "data/pg_hba.conf");
  const deny = (isDenied: boolean) => {
    const rule = isDenied ? "local all muster reject\n" : "";
    writeFileSync(hba, `${rule}local all all trust\nlocal replication all trust\n`);
    server.query("select pg_reload_conf()");
  };
  deny(true);
  await eventually("its session is ended, and another one denied", () => {
    server.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'muster'`);
    return linesAbout("rejects this node").length > 0;
  });
  // A session that is ended in the middle of a question first counts as one without an answer.
  await eventually("it says why the database is away", async () => {
    const { code, reason = "" } = await state(standby);
    return code === "database" && reason.includes("pg_hba.conf rejects connection");
  });
  expect(await (await standby.answer("/metrics")).text()).toContain("\nmuster_database_reached 0\n");
  const forwarded = await (await standby.answer("/healthz", { Via: "1.1 proxy" })).text();
  expect(forwarded).not.toContain("pg_hba");
  expect(linesAbout("rejects this node")).toHaveLength(1);

  deny(false);
  await eventually("it is a standby again", async () => (await state(standby)).code === "standby");
  expect(linesAbout("can be reached again")).toHaveLength(1);
});

test("a reason is logged once per outage of the server, and again in the next one", () => {
  const lines: string[] = [];
  const hear = connectionLog(createLog((line) => lines.push(line)));
  const refused = { reason: "connect ECONNREFUSED", isDenied: false };
  const denied = { reason: "no such password", isDenied: true };
  for (const trouble of [null, refused, refused, denied, refused, denied, null, null, refused]) hear(trouble);
  expect(lines).toEqual([
    'warn the database server cannot be reached reason="connect ECONNREFUSED"',
    'warn the database server rejects this node reason="no such password"',
    "info the database server can be reached again",
    'warn the database server cannot be reached reason="connect ECONNREFUSED"',
  ]);
});

test("of two nodes with the same name the second ends, and the first one continues", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { url, sql } = database();
  const { active, standby } = await pair(cwd, url);
  await using _active = active;
  await using _standby = standby;
  const names = ["alpha", "beta"];
  const said = names.map(async (name) => {
    const data = `twin of ${name}`;
    active.lendKey(cwd, data);
    await using twin = new WaitingNode({ name, cwd, url, data });
    return await twin.opened.then(
      () => "",
      (error: Error) => error.message,
    );
  });
  expect(await Promise.all(said)).toEqual(
    names.map((name) =>
      expect.stringContaining(`another node is named ${name}, too: give each its own name with --node`),
    ),
  );
  expect(sql("select node, epoch from muster_lease")).toBe("alpha|1");
  expect((await state(standby)).code).toBe("standby");
});

test("a standby that was killed has its name again when it was not seen for a while", async () => {
  using folder = temporaryFolder();
  const { url, sql } = database();
  const { active, standby } = await pair(folder.path, url);
  await using _active = active;
  const instance = () => sql("select instance from muster_nodes where name = 'beta'");
  await eventually("it has stored its name", () => instance() || null);
  await standby[Symbol.asyncDispose]();
  // A stopped node releases it.
  expect(instance()).toBe("");
  sql(
    "update muster_nodes set instance = 'killed', seen_at = extract(epoch from clock_timestamp()) where name = 'beta'",
  );
  await using again = new WaitingNode({ name: "beta", cwd: folder.path, url });
  await standsBy(again);
  sql("update muster_nodes set seen_at = seen_at - 60 where name = 'beta'");
  await eventually("the name is its own", () => instance() !== "killed");
});
