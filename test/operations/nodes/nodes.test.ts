/** The nodes that share a PostgreSQL database, as administrators see them. */
import { expect } from "bun:test";
import { Lease } from "../../../src/platform/storage/lease.postgres.ts";
import { Nodes } from "../../../src/platform/storage/nodes.postgres.ts";
import { VERSION } from "../../../src/platform/version.ts";
import { nodeState } from "../../../web/settings/nodes.tsx";
import { TestApp } from "../../support/app.ts";
import { openedDatabase, postgresTests, server } from "../../support/postgres-tests.ts";

const { test } = postgresTests();

function database() {
  const { db, name } = openedDatabase();
  return { db, sql: (text: string) => server.query(text, name) };
}

/** The node `name` becomes active, and serves. */
function serveAs(name: string, shared: ReturnType<typeof database>): TestApp {
  const { db } = shared;
  const nodes = new Nodes(db, name, VERSION);
  expect(Lease.take(db, name)).not.toBeNull();
  nodes.seen();
  // Each app of a test is given its own users.
  shared.sql("truncate users cascade");
  const app = new TestApp({ db, nodes });
  app.muster.cluster.activated();
  return app;
}

const takeovers = async (app: TestApp) => {
  const { json } = await (await app.admin()).get("/api/1/admin/audit/list", { operation: "nodes" });
  return json.records;
};

test("administrators see the nodes, each with its version, the active one, and when each was last seen", async () => {
  const shared = database();
  new Nodes(shared.db, "beta", "0.9.0").seen();
  const app = serveAs("alpha", shared);
  shared.sql("update muster_nodes set seen_at = 1000 where name = 'alpha'");
  shared.sql("update muster_nodes set seen_at = 900 where name = 'beta'");
  expect((await (await app.admin()).get("/api/1/admin/nodes/list")).json).toEqual({
    records: [
      { name: "alpha", version: VERSION, active: 1, lastseen: 1000 },
      { name: "beta", version: "0.9.0", active: 0, lastseen: 900 },
    ],
  });
  const { text } = await app.client("127.0.0.1").get("/metrics");
  expect(text.split("\n").filter((line) => line.startsWith("muster_node"))).toEqual([
    `muster_node_active{node="alpha",version="${VERSION}"} 1`,
    'muster_node_active{node="beta",version="0.9.0"} 0',
    'muster_node_last_seen_timestamp_seconds{node="alpha"} 1000',
    'muster_node_last_seen_timestamp_seconds{node="beta"} 900',
  ]);
  // A node whose lease has expired is no longer active, even if no other node has taken over.
  shared.sql("update muster_lease set until = '-infinity'");
  expect(new Nodes(shared.db, "beta", "0.9.0").list().map(({ isActive }) => isActive)).toEqual([
    false,
    false,
  ]);
});

test("a change of the active node is in the audit log, but not a restart of the same node", async () => {
  const shared = database();
  serveAs("alpha", shared);
  const release = () => shared.sql("update muster_lease set until = '-infinity'");
  release();
  expect(await takeovers(serveAs("alpha", shared))).toEqual([]);
  release();
  // A command holds the lease in between.
  expect(Lease.take(shared.db, "a command")).not.toBeNull();
  release();
  expect(await takeovers(serveAs("beta", shared))).toMatchObject([
    {
      uname: "",
      via: "command",
      operation: "nodes/takeover",
      subject: "node",
      subjectid: "beta",
      subjectname: "beta",
      details: { active: ["alpha", "beta"], version: VERSION },
    },
  ]);
});

test("nodes that were not seen for a week are forgotten, and so are all but the newest hundred", () => {
  const { db, sql } = database();
  sql(`insert into muster_nodes select 'n' || i, '1', extract(epoch from now())::bigint - i
       from generate_series(1, 150) i`);
  sql("insert into muster_nodes values ('old', '1', extract(epoch from now())::bigint - 8 * 86400)");
  const nodes = new Nodes(db, "own", "1");
  nodes.seen();
  const names = nodes.list().map(({ name }) => name);
  expect(names).toHaveLength(100);
  expect(names).toContain("own");
  expect(names).not.toContain("old");
  expect(names).not.toContain("n150");
});

test("a database file has no nodes", async () => {
  const app = new TestApp();
  app.muster.cluster.activated();
  expect((await (await app.admin()).get("/api/1/admin/nodes/list")).json).toEqual({ records: [] });
  expect((await app.client("127.0.0.1").get("/metrics")).text).not.toContain("muster_node");
  expect(await takeovers(app)).toEqual([]);
});

test("a node that has not been seen for a while is not called a standby", () => {
  const node = { name: "n", version: "1", lastseen: 1000 };
  expect(nodeState({ ...node, active: 1 }, 1020)).toBe("Active");
  expect(nodeState({ ...node, active: 0 }, 1020)).toBe("Standby");
  expect(nodeState({ ...node, active: 0 }, 1031)).toBe("Not running");
});
