/** How many rows the thread that takes messages reads for a request, of a database with many of everything. */
import { expect, test } from "bun:test";
import { calls, examples, populated, send } from "../../publishing/openapi/examples.ts";
import { RowsRead } from "./rows-read.ts";

/** Most rows that a request may read there, whatever the size of the database. */
const MOST = 250;
/** How many there are of everything: more than that. */
const MANY = 300;

/** What reads secrets that only that thread can open, of objects that administrators make one by one. */
const WITH_SECRETS = ["/admin/transfer/export", "/admin/users/list"];

/** Tables whose rows are multiplied, with the columns that have to differ. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  audit: [],
  deliveries: [],
  event_notes: [],
  maintenance_windows: ["name"],
  rules: ["name"],
  rule_channels: ["rule_id"],
  status_pages: ["slug"],
  users: ["uname"],
  dependencies: ["host_id"],
};

async function large(counter: RowsRead) {
  const world = await populated(1, { runQueries: counter.runQueries });
  const { app } = world;
  const services = Array.from({ length: MANY }, (_, i) => ({ name: `service ${i}` }));
  await app.report({ services: [{ name: "host-1", type: 5 }, ...services], hostGroups: ["rack"] });
  for (let i = 0; i < MANY; i++)
    await app.report({
      ...{ id: `many ${i}`, hostname: `many ${i}`, hostGroups: ["rack", `group ${i}`] },
      ...{ services: [{ name: "web" }], event: { service: "web" } },
    });
  app.db.$client.run("pragma foreign_keys = off");
  for (const [table, differing] of Object.entries(TABLES)) {
    const columns = app.rows<{ name: string }>(
      `select name from pragma_table_info('${table}') where name <> 'id'`,
    );
    const names = columns.map(({ name }) => `"${name}"`).join(", ");
    const values = columns.map(({ name }) =>
      !differing.includes(name) ? `"${name}"` : name.endsWith("_id") ? "1000 + i" : `"${name}" || i`,
    );
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MANY})
       insert into ${table} (${names}) select ${values.join(", ")} from (select * from ${table} limit 1), n`,
    );
  }
  return world;
}

test("no request that reads takes more than a fixed number of rows of the thread that takes messages", async () => {
  const counter = new RowsRead();
  counter.start();
  try {
    const world = await large(counter);
    const reading = calls(world.app.operations).filter(([{ kind }]) => kind === "read" || kind === "query");
    const tooMany: string[] = [];
    for (const [operation, method] of reading) {
      counter.reset();
      const args = examples(world)[operation.path] ?? {};
      const { status } = await send(world.admin, method, operation.path, args);
      expect([operation.path, status]).toEqual([operation.path, 200]);
      if (counter.rows > MOST) tooMany.push(operation.path);
    }
    expect([...new Set(tooMany)].sort()).toEqual(WITH_SECRETS);
    for (const path of ["/s/shelf", "/s/shelf/badge.svg", "/s/shelf?renew=0", "/healthz"]) {
      counter.reset();
      expect([path, (await world.app.app.request(path)).status]).toEqual([path, 200]);
      expect([path, counter.rows]).toEqual([path, Math.min(counter.rows, MOST)]);
    }
  } finally {
    counter.stop();
  }
}, 120_000);
