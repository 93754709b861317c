/** Makes connections to PostgreSQL with the types and session settings that Muster needs. */
import { randomBytes } from "node:crypto";
import { Client, type ClientConfig, types } from "pg";
import { codeOf, reasonOf } from "../../text.ts";
import { isAway, NoPrimary } from "./away.ts";
import type { PostgresHost, PostgresOptions } from "./options.ts";
import { passwordFor } from "./passfile.ts";

/** How long the other hosts have to answer after the first one did, milliseconds. */
const OTHERS_MS = 500;
/** The server ends a transaction that stands still for this long, milliseconds, because its Muster hangs. */
const IDLE_IN_TRANSACTION_MS = 5000;

/**
 * For the session of the message thread, whose statements find rows by an index, as in SQLite. The server plans a
 * statement once, perhaps while its tables are empty, and such a plan would read whole tables until there are
 * statistics, minutes later. With these settings, the cost of a plan without an index is so high that the server would
 * compile the plan, so `jit` is off.
 */
const LOOKUPS_ONLY = `set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_material = off; set jit = off`;

const OID = { bool: 16, bytea: 17, int8: 20, numeric: 1700 };

/** Values as SQLite returns them: numbers, 1 and 0 for truth values, bytes, and everything else as text. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [OID.bool, (text) => (text === "t" ? 1 : 0)],
  [OID.bytea, (text) => Buffer.from(text.slice(2), "hex")],
  ...[OID.int8, types.builtins.INT4, types.builtins.INT2, OID.numeric, types.builtins.FLOAT8].map(
    (oid) => [oid, Number] as [number, (text: string) => unknown],
  ),
]);

const TYPES = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? ((text: string) => text) };

/** Connections that have ended. */
const ended = new WeakSet<Client>();

/** Whether a connection has already ended. A listener that is added now would not be called. */
export function hasEnded(client: Client): boolean {
  return ended.has(client);
}

/** Drops a connection without waiting for its server, which may no longer answer. */
export function drop(client: Client): void {
  void client.end().catch(() => undefined);
  client.connection.stream.destroy();
}

function tlsOptions({ tls }: PostgresOptions, { host }: PostgresHost): ClientConfig["ssl"] {
  const { mode, ca, cert, key } = tls;
  if (mode === "disable" || host.startsWith("/")) return false;
  const files = { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
  // libpq verifies the chain when authorities are set, even in a mode that does not require it.
  const isChainOnly = mode === "verify-ca" || (mode === "require" && ca !== null);
  if (mode === "verify-full") return { ...files, rejectUnauthorized: true };
  if (isChainOnly) return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}

/**
 * Ends what remains of a lost connection. Its session would not notice while it waits for a lock, or in COMMIT for a
 * synchronous standby, and each new connection would add another one.
 */
const END_PREDECESSORS = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = $1 and usename = current_user and pid <> pg_backend_pid()`;

/** A session on a server that accepts writes. */
interface Session {
  client: Client;
  /** How often a standby was promoted in the history of this server's data; 0 when there is no other server. */
  timeline: number;
}

/** A pooler that gives each transaction the next free session of the server. */
class TransactionPooling extends Error {
  constructor() {
    super("it is a pooler with pool_mode = transaction, and Muster needs pool_mode = session");
  }
}

/** How long a pooler may take to give another client a session, milliseconds. */
const POOLER_MS = 1000;

/**
 * Behind a pooler, finds out whether the session belongs only to this client: a value set in it must still be there,
 * and must not be there for another client.
 * @param pid the process of the session, which is also that of the client unless a pooler is between them
 * @throws TransactionPooling
 */
async function assertOwnSession(client: Client, pid: number, openBeside: () => Client): Promise<void> {
  if ((client as unknown as { processID: number | null }).processID === pid) return;
  const mark = randomBytes(8).toString("hex");
  const read = async (from: Client) => {
    const { rows } = await from.query("select current_setting('muster.session', true) as mark");
    return rows[0]?.mark === mark;
  };
  const assertMarked = async () => {
    for (let i = 0; i < 3; i++) if (!(await read(client))) throw new TransactionPooling();
  };
  await client.query(`set muster.session = '${mark}'`);
  await assertMarked();
  const secondClient = openBeside();
  secondClient.on("error", () => undefined);
  try {
    // A pooler without another session makes it wait.
    const isShared = secondClient.connect().then(() => read(secondClient));
    const isSharedInTime = await Promise.race([isShared.catch(() => false), Bun.sleep(POOLER_MS)]);
    if (isSharedInTime === true) throw new TransactionPooling();
    // The pooler may have made its second session only for that client. Then one of these reads meets it.
    await assertMarked();
  } finally {
    drop(secondClient);
  }
}

/** The timeline; null on a standby. Services that keep their log in another way may not have it. */
const TIMELINE = `select case when pg_is_in_recovery() then null
  else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline, pg_backend_pid() as pid`;
const TIMELINE_OF_ONE = `select case when pg_is_in_recovery() then null else '0' end as timeline,
  pg_backend_pid() as pid`;

/** @returns the timeline @throws NoPrimary */
async function prepare(
  client: Client,
  { hosts, applicationName, endsEarlier, looksUp, mayPause }: PostgresOptions,
  openBeside: () => Client,
): Promise<number> {
  const { rows } = await client.query(hosts.length > 1 ? TIMELINE : TIMELINE_OF_ONE);
  if (rows[0]?.timeline === null) throw new NoPrimary();
  if (endsEarlier) {
    await assertOwnSession(client, Number(rows[0]?.pid), openBeside);
    await client.query(END_PREDECESSORS, [applicationName]);
  }
  // Not when the connection starts: poolers reject parameters that they do not know.
  await client.query(`set idle_in_transaction_session_timeout = ${mayPause ? 0 : IDLE_IN_TRANSACTION_MS}`);
  if (looksUp) await client.query(LOOKUPS_ONLY);
  return Number.parseInt(String(rows[0]?.timeline), 16);
}

function clientOf(options: PostgresOptions, host: PostgresHost): Client {
  const { database, user, password, applicationName } = options;
  return new Client({
    ...host,
    database,
    user,
    password: password ?? process.env.PGPASSWORD ?? (() => passwordFor(host, options)),
    application_name: applicationName,
    connectionTimeoutMillis: options.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 3000,
    pipeline: true,
    ssl: tlsOptions(options, host),
    types: TYPES,
  } as ClientConfig);
}

async function connectTo(options: PostgresOptions, host: PostgresHost): Promise<Session> {
  const client = clientOf(options, host);
  client.on("error", () => undefined);
  client.on("end", () => ended.add(client));
  const timer = setTimeout(() => client.connection.stream.destroy(), options.connectMs);
  try {
    await client.connect();
    return { client, timeline: await prepare(client, options, () => clientOf(options, host)) };
  } catch (error) {
    drop(client);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** pg_hba.conf denies the connection, perhaps because it is encrypted. */
const INVALID_AUTHORIZATION = "28000";

/** Whether the server might accept a connection without TLS, which the mode "prefer" then uses. */
function isWithoutTls(error: unknown): boolean {
  return codeOf(error) === INVALID_AUTHORIZATION || reasonOf(error).includes("does not support SSL");
}

async function connectAsPreferred(options: PostgresOptions, host: PostgresHost): Promise<Session> {
  try {
    return await connectTo(options, host);
  } catch (error) {
    if (options.tls.mode !== "prefer" || !isWithoutTls(error)) throw error;
    return connectTo({ ...options, tls: { ...options.tls, mode: "disable" } }, host);
  }
}

/**
 * Connects to the host that accepts writes. If several do, a primary came back after its standby was promoted, and
 * the last one promoted is used.
 * @throws the error of a host that rejected the connection; otherwise that of the last host
 */
export async function connect(options: PostgresOptions): Promise<Client> {
  const sessions: Session[] = [];
  let isOver = false;
  const attempts = options.hosts.map(async (host) => {
    const session = await connectAsPreferred(options, host);
    if (isOver) drop(session.client);
    else sessions.push(session);
  });
  const settled = Promise.allSettled(attempts);
  try {
    await Promise.any(attempts);
  } catch (error) {
    const problems = error instanceof AggregateError ? error.errors : [error];
    throw problems.find((problem) => !isAway(problem)) ?? problems.at(-1);
  }
  await Promise.race([settled, Bun.sleep(OTHERS_MS)]);
  isOver = true;
  const [newest, ...older] = sessions.toSorted((a, b) => b.timeline - a.timeline);
  if (!newest) throw new NoPrimary();
  for (const { client } of older) drop(client);
  return newest.client;
}
