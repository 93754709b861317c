/** First starts on an empty PostgreSQL database that are killed, one node alone or two at once, and the start after it. */
import { equal, match, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "../support/postgres-server.ts";
import { Random } from "../support/random.ts";
import { EXECUTABLE, freePort, Muster, neutralEnvironment, run, temporaryFolder } from "./support.ts";

/** How far the killed start had come. */
const STAGES = ["no tables", "tables", "set up"] as const;
type Stage = (typeof STAGES)[number];

const REFUSED =
  /secret\.key is (missing|not the key of the database): copy it from a node that has this database/;

interface Round {
  cwd: string;
  database: string;
  server: PostgresServer;
}

function stageOf({ server, database }: Round): Stage {
  if (server.query("select to_regclass('settings') is null", database) === "t") return "no tables";
  return server.query("select count(*) from users", database) === "0" ? "tables" : "set up";
}

/** Starts the nodes at the same time, and kills them. */
async function startAndKill({ cwd, database, server }: Round, nodes: string[], ms: number): Promise<void> {
  const children = nodes.map((name) =>
    Bun.spawn([EXECUTABLE, "serve", "--data", name, "--listen", `127.0.0.1:${freePort()}`, "--node", name], {
      cwd,
      env: { ...neutralEnvironment(cwd), MUSTER_DATABASE: server.url(database) },
      stdio: ["ignore", "ignore", "ignore"],
    }),
  );
  await Bun.sleep(ms);
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
}

/** The administrator can sign in with what the first start left, and `muster doctor` finds nothing. */
async function checkServes({ cwd, database, server }: Round, node: string): Promise<void> {
  const env = { MUSTER_DATABASE: server.url(database) };
  await using muster = await Muster.start({ cwd, data: node, env, args: ["--node", node] });
  const text = readFileSync(join(cwd, node, "first-login.txt"), "utf8");
  const password = /password +(\S+)/.exec(text)?.[1] ?? "";
  await muster.client().signIn("admin", password);
  equal(await muster.stop(), 0);
  const doctor = await run(["doctor", "--data", node], { cwd, env });
  equal(doctor.code, 0, doctor.stdout + doctor.stderr);
}

async function startAgain(round: Round, nodes: string[]): Promise<void> {
  const [first = "", second] = nodes;
  try {
    await checkServes(round, first);
  } catch (error) {
    // The other one was set up with its key.
    match(String(error), REFUSED);
    ok(second !== undefined);
    await checkServes(round, second);
  }
}

/**
 * Kills first starts at random moments, every other time two at once on the same database. Prints its seed.
 * @returns how many of them had come how far
 * @throws AssertionError when a later start does not complete what a killed one began
 */
export async function killFirstStarts(
  server: PostgresServer,
  rounds: number,
  seed = Date.now() % 1_000_000,
): Promise<Record<Stage, number>> {
  console.log(`SEED=${seed}`);
  const random = new Random(seed);
  const reached = { "no tables": 0, tables: 0, "set up": 0 };
  let longest = 0;
  for (let i = 0; i <= rounds; i++) {
    using folder = temporaryFolder();
    const round = { cwd: folder.path, database: `first_start_${seed}_${i}`, server };
    server.query(`create database ${round.database}`);
    const nodes = i % 2 === 0 ? ["alpha", "beta"] : ["alpha"];
    if (i === 0) {
      // How long a start takes that is not killed.
      const since = performance.now();
      await checkServes(round, "alpha");
      longest = performance.now() - since;
      continue;
    }
    await startAndKill(round, nodes, random.below(Math.ceil(longest)));
    const stage = stageOf(round);
    reached[stage]++;
    // As 10 s later.
    if (stage !== "no tables") server.query("update muster_lease set until = '-infinity'", round.database);
    await startAgain(round, nodes);
  }
  return reached;
}
