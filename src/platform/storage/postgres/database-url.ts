/** Addresses of PostgreSQL databases, in the form of libpq. */
import { readFileSync } from "node:fs";
import { getCACertificates } from "node:tls";
import { fileReason } from "../../files/file-reason.ts";
import { exposureOf } from "../../files/private-file.ts";
import { urlHost } from "../../net/client-address.ts";
import { percentDecoded } from "../../net/percent-encoding.ts";
import { CONNECT_MS, type PostgresHost, type PostgresOptions, TLS_MODES, type TlsMode } from "./options.ts";

/** A text that is not such an address. The message says why, and never contains the text. */
export class InvalidDatabaseUrl extends Error {}

const FORM =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?(?<hosts>[^/?]*)(?:\/(?<name>[^?]*))?(?:\?(?<query>.*))?$/;
const DEFAULT_PORT = 5432;

const PARAMETERS = [
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
];

/** As in libpq, the authorities that the system trusts. */
const SYSTEM = "system";
/** Longest time limit of an attempt to connect, seconds. */
const MAX_CONNECT = 60;

function partOf(text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  const part = percentDecoded(text);
  if (part === null) throw new InvalidDatabaseUrl("has a % that is not followed by two hexadecimal digits");
  return part;
}

function hostOf(text: string, ports: string | null, i: number): PostgresHost {
  const match = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<name>[^:[\]]+))(?::(?<port>\d{1,5}))?$/i.exec(text);
  const name = partOf(match?.groups?.six ?? match?.groups?.name);
  const listed = ports?.split(",") ?? [];
  const port = Number(match?.groups?.port ?? listed[i] ?? listed[0] ?? DEFAULT_PORT);
  if (name === null || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new InvalidDatabaseUrl("has a host that is neither a name nor an address, or a port out of range");
  return { host: name, port };
}

/** @param isSystem whether the authorities are the system's, which vouch only for names */
function tlsMode(text: string | null, isSystem: boolean): TlsMode {
  const mode = TLS_MODES.find((name) => name === (text ?? (isSystem ? "verify-full" : "prefer")));
  if (!mode) throw new InvalidDatabaseUrl(`has an sslmode that is none of ${TLS_MODES.join(", ")}`);
  if (isSystem && mode !== "verify-full")
    throw new InvalidDatabaseUrl("has an sslmode that is too weak for sslrootcert=system: verify-full");
  return mode;
}

function keyFileOf(query: URLSearchParams): string | null {
  const key = fileOf(query, "sslkey");
  const path = query.get("sslkey");
  const exposure = path === null ? null : exposureOf(path);
  if (exposure !== null) throw new InvalidDatabaseUrl(`names a key: ${exposure}`);
  return key;
}

function authorities(query: URLSearchParams): string | null {
  if (query.get("sslrootcert") === SYSTEM) return getCACertificates("system").join("\n");
  return fileOf(query, "sslrootcert");
}

function connectMs(text: string | null): number {
  if (text === null) return CONNECT_MS;
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > MAX_CONNECT)
    throw new InvalidDatabaseUrl(`has a connect_timeout that is not 1 to ${MAX_CONNECT} seconds`);
  return seconds * 1000;
}

function fileOf(query: URLSearchParams, name: string): string | null {
  const path = query.get(name);
  if (path === null) return null;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new InvalidDatabaseUrl(`has ${name}=${path}, which cannot be read: ${fileReason(error)}`);
  }
}

/** A + is one, as in libpq. */
function parametersOf(query = ""): URLSearchParams {
  return new URLSearchParams(query.replaceAll("+", "%2B"));
}

function assertKnown(query: URLSearchParams): void {
  const unknown = [...query.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown === undefined) return;
  // After a password, it may be the rest of one that has an &.
  const name = query.has("password") ? "" : `: ${unknown}`;
  throw new InvalidDatabaseUrl(`has a parameter that Muster does not know${name}`);
}

/** @throws InvalidDatabaseUrl */
export function parseDatabaseUrl(text: string): PostgresOptions {
  const parts = FORM.exec(text)?.groups;
  if (!parts)
    throw new InvalidDatabaseUrl("must be the address of a database, as in postgres://user@host/name");
  // The password ended at one of these characters, so what comes next may be the rest of it.
  if ([parts.hosts, parts.name, parts.query].some((part) => part?.includes("@")))
    throw new InvalidDatabaseUrl(
      "has an @ in the wrong place: write % : / ? # @ in a password as percent codes, such as %40 for @",
    );
  const query = parametersOf(parts.query);
  assertKnown(query);
  const user = query.get("user") ?? partOf(parts.user);
  const database = query.get("dbname") ?? partOf(parts.name);
  const hosts = query.get("host") ?? parts.hosts;
  if (user === null) throw new InvalidDatabaseUrl("has no user, as in postgres://user@host/name");
  if (database === null)
    throw new InvalidDatabaseUrl("has no name of a database, as in postgres://user@host/name");
  if (!hosts) throw new InvalidDatabaseUrl("has no host, as in postgres://user@host/name");
  return {
    hosts: hosts.split(",").map((host, i) => hostOf(host, query.get("port"), i)),
    database,
    user,
    password: query.get("password") ?? partOf(parts.password),
    tls: {
      mode: tlsMode(query.get("sslmode"), query.get("sslrootcert") === SYSTEM),
      ca: authorities(query),
      cert: fileOf(query, "sslcert"),
      key: keyFileOf(query),
    },
    applicationName: "muster",
    connectMs: connectMs(query.get("connect_timeout")),
  };
}

/**
 * The options of an address, with the password of another address of the same database. Parameters of the other one
 * apply where this one has none: those about TLS together, since one of them alone means little.
 * @throws InvalidDatabaseUrl
 */
export function parseWithPasswordOf(other: PostgresOptions, text: string): PostgresOptions {
  const { tls, connectMs } = parseDatabaseUrl(text);
  const names = [...parametersOf(FORM.exec(text)?.groups?.query).keys()];
  return {
    ...other,
    ...(names.some((name) => name.startsWith("ssl")) && { tls }),
    ...(names.includes("connect_timeout") && { connectMs }),
  };
}

/** The address without its password, for messages. */
export function describe({ hosts, database, user }: PostgresOptions): string {
  const listed = hosts.map(({ host, port }) => urlHost(host) + (port === DEFAULT_PORT ? "" : `:${port}`));
  return `postgres://${user}@${listed.join(",")}/${database}`;
}
