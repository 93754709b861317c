/** Makes connections to PostgreSQL with the types and session settings that Muster needs. */
import { Client, type ClientConfig, types } from "pg";
import { isAway, NoPrimary } from "./away.ts";
import type { PostgresHost, PostgresOptions } from "./options.ts";

/** Time limit of an attempt to connect to one host, milliseconds. */
const CONNECT_MS = 4000;
/** The server ends a transaction that stands still for this long, milliseconds: its Muster hangs. */
const IDLE_IN_TRANSACTION_MS = 5000;

const OID = { bool: 16, bytea: 17, int8: 20, numeric: 1700 };

/** Values as SQLite gives them: numbers, 1 and 0 for truth values, bytes, and everything else as text. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [OID.bool, (text) => (text === "t" ? 1 : 0)],
  [OID.bytea, (text) => Buffer.from(text.slice(2), "hex")],
  ...[OID.int8, types.builtins.INT4, types.builtins.INT2, OID.numeric, types.builtins.FLOAT8].map(
    (oid) => [oid, Number] as [number, (text: string) => unknown],
  ),
]);

const TYPES = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? ((text: string) => text) };

function tlsOptions({ tls }: PostgresOptions, { host }: PostgresHost): ClientConfig["ssl"] {
  const { mode, ca, cert, key } = tls;
  if (mode === "disable" || host.startsWith("/")) return false;
  const files = { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) };
  // libpq verifies the chain when it is given authorities, although nobody asked for it by name.
  const isChainOnly = mode === "verify-ca" || (mode === "require" && ca !== null);
  if (mode === "verify-full") return { ...files, rejectUnauthorized: true };
  if (isChainOnly) return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { ...files, rejectUnauthorized: false };
}

async function connectTo(options: PostgresOptions, host: PostgresHost): Promise<Client> {
  const { database, user, password, applicationName } = options;
  const client = new Client({
    ...{ ...host, database, user, ...(password !== null && { password }) },
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 3000,
    pipeline: true,
    ssl: tlsOptions(options, host),
    types: TYPES,
  } as ClientConfig);
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query("select pg_is_in_recovery() as standby");
  if (rows[0]?.standby !== 1) return client;
  await client.end();
  throw new NoPrimary();
}

/** The driver says it in terms of the protocol. */
function inWords(error: unknown): unknown {
  const isAskedFor = error instanceof Error && /client password must be a string/.test(error.message);
  return isAskedFor ? new Error("it asks for a password, and none is given") : error;
}

/** pg_hba.conf denies the connection, perhaps because it is encrypted. */
const INVALID_AUTHORIZATION = "28000";

/** Whether the server may take a connection without TLS, which the mode "prefer" then uses. */
function isWithoutTls(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isDenied = "code" in error && error.code === INVALID_AUTHORIZATION;
  return isDenied || error.message.includes("does not support SSL");
}

async function connectAsPreferred(options: PostgresOptions, host: PostgresHost): Promise<Client> {
  try {
    return await connectTo(options, host);
  } catch (error) {
    if (options.tls.mode !== "prefer" || !isWithoutTls(error)) throw error;
    return connectTo({ ...options, tls: { ...options.tls, mode: "disable" } }, host);
  }
}

/**
 * Connects to the first host that accepts writes.
 * @throws the error of a host that turned the connection down; otherwise that of the last host
 */
export async function connect(options: PostgresOptions): Promise<Client> {
  const problems: unknown[] = [];
  for (const host of options.hosts) {
    try {
      return await connectAsPreferred(options, host);
    } catch (error) {
      problems.push(inWords(error));
    }
  }
  throw problems.find((problem) => !isAway(problem)) ?? problems.at(-1);
}
