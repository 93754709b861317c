/** Parsers that turn the text of a setting into its value. */
import * as v from "valibot";
import { type CidrBlock, parseCidr } from "../net/client-address.ts";
import { StartupError } from "../startup-error.ts";

/** An invalid setting or command line. */
export class ConfigError extends StartupError {}

/** An address and a port, or a unix socket. */
export type ListenAddress = { host: string; port: number } | { path: string };

/** A parser from a schema whose message says what the value must be. */
function rule<T>(schema: v.GenericSchema<string, T>): (text: string) => T {
  return (text) => {
    const result = v.safeParse(schema, text);
    if (result.success) return result.output;
    throw new ConfigError(result.issues[0].message);
  };
}

export const path = rule(v.pipe(v.string(), v.minLength(1, "must be a path")));
export const secret = rule(v.pipe(v.string(), v.minLength(1, "must not be empty")));
export const shortText = rule(
  v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(255, "must be at most 255 characters")),
);

function readAddress(text: string): ListenAddress {
  if (text.startsWith("unix:") && text.length > "unix:".length) return { path: text.slice("unix:".length) };
  const match = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  if (!match || port > 65_535)
    throw new ConfigError(
      'must be "address:port", as in 0.0.0.0:8080 or [::]:8080, or "unix:/path", or several with commas between',
    );
  return { host: match.groups?.six ?? (match.groups?.four || "0.0.0.0"), port };
}

/** Parses addresses separated by commas. */
export function readListen(text: string): ListenAddress[] {
  return text.split(",").map((part) => readAddress(part.trim()));
}

/** Parses an origin: a URL without a path. */
export function readBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== "/" ||
    url.search ||
    url.hash ||
    url.username
  )
    throw new ConfigError("must be an origin without a path, as in https://muster.example.org");
  return url;
}

/**
 * Parses the provider's address. Secrets and tokens are sent there, so plain http is allowed on loopback
 * only.
 */
export function readIssuer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = /^(localhost|127\.[0-9.]+|\[::1\])$/.test(url?.hostname ?? "");
  if (
    !url ||
    !(url.protocol === "https:" || (url.protocol === "http:" && isHere)) ||
    url.search ||
    url.hash ||
    url.username
  )
    throw new ConfigError(
      "must be the provider's https address, as in https://login.example.org/realms/main",
    );
  return url;
}

export const headerName = rule(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header, as in Remote-User")),
);

/** Parses a comma-separated list of addresses and CIDR blocks; it may be empty. */
export function readProxies(text: string): CidrBlock[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const block = parseCidr(part);
      if (!block) throw new ConfigError(`"${part}" is no address or CIDR block, as in 10.0.0.0/8`);
      return block;
    });
}

/** @returns whether it is "yes" */
export const yesOrNo = (text: string): boolean =>
  rule(v.picklist(["yes", "no"], "must be yes or no"))(text) === "yes";

/** A parser that accepts one of several words. */
export const oneWordOf = <const T extends string>(words: readonly T[]): ((text: string) => T) =>
  rule(v.picklist(words, `must be one of ${words.join(", ")}`));
