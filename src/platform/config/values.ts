/** Parsers that turn the text of a setting into its value. They throw a ConfigError. */
import { type CidrBlock, parseCidr, urlHost } from "../net/client-address.ts";
import { StartupError } from "../startup-error.ts";
import { InvalidDatabaseUrl, parseDatabaseUrl } from "../storage/postgres/database-url.ts";
import type { PostgresOptions } from "../storage/postgres/options.ts";

/** An invalid setting or command line. */
export class ConfigError extends StartupError {}

/** An address and a port, or a unix socket. */
export type ListenAddress = { host: string; port: number } | { path: string };

/** A parser that accepts texts for which `isValid` is true. @param allowed completes "must be ..." */
function textThat(isValid: (text: string) => boolean, allowed: string): (text: string) => string {
  return (text) => {
    if (!isValid(text)) throw new ConfigError(`must be ${allowed}`);
    return text;
  };
}

export const path = textThat((text) => text !== "", "a path");
export const someText = textThat((text) => text !== "", "a text, not empty");
export const shortText = textThat(
  ({ length }) => length > 0 && length <= 255,
  "a text of 1 to 255 characters",
);
/** Not for passwords of other systems, which may be shorter. */
export const newPassword = textThat(
  ({ length }) => length >= 8 && length <= 255,
  "a text of 8 to 255 characters",
);
export const headerName = textThat(
  (text) => /^[A-Za-z0-9-]{1,64}$/.test(text),
  "the name of a header, as in Remote-User",
);

/** A parser that accepts one of several words. */
export const oneWordOf = <const T extends string>(words: readonly T[]) =>
  textThat((text) => words.some((allowed) => allowed === text), `one of ${words.join(", ")}`) as (
    text: string,
  ) => T;

/** @returns whether it is "yes" */
export const yesOrNo = (text: string): boolean => oneWordOf(["yes", "no"])(text) === "yes";

/** The longest path of a unix socket that the system can listen on, bytes. */
const MAX_SOCKET_PATH = process.platform === "linux" ? 107 : 103;

function socketPath(path: string): string {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH)
    throw new ConfigError(`the path of a unix socket must be at most ${MAX_SOCKET_PATH} bytes long`);
  return path;
}

function listenAddress(text: string): ListenAddress {
  if (text.startsWith("unix:") && text.length > "unix:".length)
    return { path: socketPath(text.slice("unix:".length)) };
  const match = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  if (!match || port > 65_535)
    throw new ConfigError(
      'must be "address:port", as in 0.0.0.0:8080 or [::]:8080, or "unix:/path", or several, comma-separated',
    );
  return { host: match.groups?.six ?? (match.groups?.four || "0.0.0.0"), port };
}

/** An address as `--listen` names it. */
export function listenText(address: ListenAddress): string {
  if ("path" in address) return `unix:${address.path}`;
  return `${urlHost(address.host)}:${address.port}`;
}

/** Parses addresses separated by commas; at least one. */
export function listen(text: string): ListenAddress[] {
  return text.split(",").map((part) => listenAddress(part.trim()));
}

/** Parses a comma-separated list of addresses and CIDR blocks; it may be empty. */
export function proxies(text: string): CidrBlock[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter(Boolean).map((part) => {
    const block = parseCidr(part);
    if (!block) throw new ConfigError(`"${part}" is not an address or CIDR block, as in 10.0.0.0/8`);
    return block;
  });
}

function plainUrl(text: string, isValid: (url: URL) => boolean, allowed: string): URL {
  const url = URL.parse(text);
  if (!url || url.search || url.hash || url.username || !isValid(url))
    throw new ConfigError(`must be ${allowed}`);
  return url;
}

/** Parses an origin: a URL without a path. */
export function baseUrl(text: string): URL {
  return plainUrl(
    text,
    ({ protocol, pathname }) => /^https?:$/.test(protocol) && pathname === "/",
    "an origin without a path, as in https://muster.example.org",
  );
}

/** Parses the provider's address: https, or http on loopback, since secrets and tokens go there. */
export function issuer(text: string): URL {
  const isHere = ({ hostname }: URL) => /^(localhost|127\.[0-9.]+|\[::1\])$/.test(hostname);
  return plainUrl(
    text,
    (url) => url.protocol === "https:" || (url.protocol === "http:" && isHere(url)),
    "the provider's https address, as in https://login.example.org/realms/main",
  );
}

/** Parses the address of a PostgreSQL database. */
export function databaseUrl(text: string): PostgresOptions {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    if (error instanceof InvalidDatabaseUrl) throw new ConfigError(error.message);
    throw error;
  }
}
