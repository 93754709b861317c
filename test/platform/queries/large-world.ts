/** A database with many of everything that can grow, to see what requests read of it. */
import { populated } from "../../publishing/openapi/examples.ts";
import { START } from "../../support/clock.ts";
import type { RowsRead } from "./rows-read.ts";

/** How many there are of everything: more than that. */
export const MANY = 300;

/** Tables whose rows are multiplied, with the columns that have to differ. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  agent_keys: ["name"],
  audit: [],
  deliveries: [],
  event_notes: [],
  channels: ["name"],
  contacts: ["user_id"],
  limits: ["name"],
  maintenance_windows: ["name"],
  rules: ["name"],
  rule_channels: ["rule_id"],
  status_pages: ["slug"],
  users: ["uname"],
  dependencies: ["host_id"],
  queued_actions: ["host_id"],
};

/** @param agentPort port of an agent that acts */
export async function largeWorld(counter: RowsRead, agentPort = 1) {
  const world = await populated(agentPort, {
    runQueries: counter.runQueries,
    runTransfers: counter.runQueries,
  });
  const { app } = world;
  const services = Array.from({ length: MANY }, (_, i) => ({ name: `service ${i}` }));
  const failing = { name: "web", type: 3, status: 512 };
  await app.report({
    services: [{ name: "host-1", type: 5 }, failing, { name: "rootfs", type: 0 }, ...services],
    hostGroups: ["rack"],
    incarnation: START - 3600,
    at: app.clock.now(),
  });
  app.db.$client.run("update hosts set key_id = 2 where id = 1");
  for (let i = 0; i < MANY; i++)
    await app.report({
      id: `many ${i}`,
      hostname: `many ${i}`,
      hostGroups: ["rack", `group ${i}`],
      services: [{ name: "web" }],
      event: { service: "web" },
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
