/** What Muster costs on a PostgreSQL server on the same machine, with fsync on a disk. */
import { tmpdir } from "node:os";
import { migrationsFolder } from "../../src/platform/assets.ts";
import {
  migratePostgres,
  openPostgres,
  startPostgresDriver,
} from "../../src/platform/storage/open-postgres.ts";
import { EXECUTABLE, Muster, PASSWORDS, temporaryFolder } from "../e2e/support.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { ADDRESSES, everyAddress } from "./harness/addresses.ts";
import type { Figure } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { reportForADay } from "./history.ts";
import { type HostState, runLoad } from "./load/load.ts";

const HOSTS = 1000;
const CONNECTIONS = 50;
/** What the design asks for. */
const TARGET = { rate: 1500, cpu: 1, timesFile: 2, bytes: 2 };
/** Time limit of a statement here, milliseconds. */
const LIMIT_MS = 120_000;

interface Load {
  state: HostState;
  seconds: number;
}

/** Messages on a server, or on the database file, and the CPU seconds of Muster and of the server per 1,000 of them. */
async function measured(server: PostgresServer | null, { state, seconds }: Load) {
  const database = `messages_${state}`;
  server?.query(`create database ${database}`);
  using folder = temporaryFolder();
  const env = { ...PASSWORDS, ...(server && { MUSTER_DATABASE: server.url(database) }) };
  await using muster = await Muster.start({
    cwd: folder.path,
    executable: EXECUTABLE,
    listen: everyAddress(),
    env,
  });
  const load = (length: number | null) =>
    runLoad({
      port: muster.port,
      addresses: ADDRESSES,
      agents: HOSTS,
      seconds: length,
      state,
      loop: { mode: "closed", connections: CONNECTIONS },
    });
  // Makes the hosts known, and warms up.
  await load(null);
  await load(3);
  const cpu = () => [usageOf(muster.pid, "").cpu, server?.cpu ?? 0] as const;
  const before = cpu();
  const result = await load(seconds);
  const [own, its] = cpu().map((used, i) => ((used - (before[i] ?? 0)) / result.accepted) * 1000) as [
    number,
    number,
  ];
  return { result, own, its };
}

async function messages(server: PostgresServer, load: Load): Promise<Figure[]> {
  const onFile = await measured(null, load);
  const { result, own, its } = await measured(server, load);
  const { state } = load;
  const failures = result.failed + result.unanswered;
  return [
    { what: `${state}: messages a second`, value: result.rate, target: { atLeast: TARGET.rate } },
    { what: `${state}: CPU per 1,000, all`, value: own + its, unit: "s", target: { atMost: TARGET.cpu } },
    {
      what: `${state}: times the CPU on the database file, ${onFile.own.toFixed(3)} s`,
      value: (own + its) / onFile.own,
      target: { atMost: TARGET.timesFile },
    },
    { what: `${state}: of that Muster`, value: own, unit: "s" },
    { what: `${state}: of that PostgreSQL`, value: its, unit: "s" },
    { what: `${state}: 99 % answered within`, value: result.p99, unit: "ms" },
    { what: `${state}: told to come again, and failed`, value: `${result.busy}, ${failures}` },
  ];
}

function history(server: PostgresServer, hosts: number): Figure[] {
  server.query("create database history");
  const driver = startPostgresDriver();
  const db = openPostgres(driver, server.options("history"), LIMIT_MS);
  migratePostgres(db, migrationsFolder());
  const bytes = (of: string) => Number(server.query(`select ${of}`, "history"));
  const empty = bytes("pg_database_size('history')");
  const { samples } = reportForADay(db, hosts);
  db.$client.close();
  // Samples are deleted once they are packed. In a day that passes in a minute, nothing reuses that space.
  server.query("vacuum full", "history");
  const perSample = (size: number) => ({ value: size / samples, unit: "bytes" });
  return [
    { what: "samples of a day", value: samples },
    {
      what: "per sample: packed history with its indexes",
      ...perSample(bytes("pg_total_relation_size('history_blocks')")),
      target: { atMost: TARGET.bytes },
    },
    {
      what: "per sample: everything that the day added",
      ...perSample(bytes("pg_database_size('history')") - empty),
      target: { atMost: TARGET.bytes },
    },
  ];
}

/** @param hosts that report for a day @param seconds of each load */
export async function benchPostgres(hosts: number, seconds: number): Promise<Figure[]> {
  await using server = await PostgresServer.start([], tmpdir());
  return [
    ...(await messages(server, { state: "steady", seconds })),
    ...(await messages(server, { state: "eventful", seconds })),
    ...history(server, hosts),
  ];
}
