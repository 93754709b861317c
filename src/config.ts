/**
 * The settings of `muster serve`, as data: `--help` and the table in docs/operations.md are made from this list.
 * A flag wins over the environment, the environment over the default.
 */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { type CidrBlock, parseCidr } from "./http/client-address.ts";

/** Ends the start with one line on standard error and exit code 1. */
export class ConfigError extends Error {}

export interface ListenAddress {
  host: string;
  port: number;
}

export interface Config {
  data: string;
  listen: ListenAddress;
  tlsCert: string | null;
  tlsKey: string | null;
  baseUrl: URL | null;
  trustedProxy: CidrBlock[];
  adminPassword: string | null;
  collectorPassword: string | null;
}

interface Setting<T> {
  /** Command line flag; null where a command line would show a secret to every user of the machine. */
  flag: string | null;
  env: string;
  /** Also read `<env>_FILE`, the path of a file that holds the value. */
  file?: boolean;
  value: string;
  doc: string;
  default: string | null;
  read: (text: string) => T;
}

function rule<T>(schema: v.GenericSchema<string, T>): (text: string) => T {
  return (text) => {
    const result = v.safeParse(schema, text);
    if (result.success) return result.output;
    throw new ConfigError(result.issues[0].message);
  };
}

const path = rule(v.pipe(v.string(), v.minLength(1, "must be a path")));
const password = rule(
  v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(255, "must be at most 255 characters")),
);

function readListen(text: string): ListenAddress {
  const match = /^(?:\[(?<six>[0-9a-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i.exec(text);
  const port = Number(match?.groups?.port);
  if (!match || port > 65_535)
    throw new ConfigError('must be "address:port", as in 0.0.0.0:8080 or [::]:8080');
  return { host: match.groups?.six ?? (match.groups?.four || "0.0.0.0"), port };
}

function readBaseUrl(text: string): URL {
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

function readProxies(text: string): CidrBlock[] {
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

export const SETTINGS: { [K in keyof Config]: Setting<NonNullable<Config[K]>> } = {
  data: {
    flag: "--data",
    env: "MUSTER_DATA",
    value: "DIR",
    doc: "data folder: muster.db, secret.key, uploads, backups",
    default: "./muster-data",
    read: path,
  },
  listen: {
    flag: "--listen",
    env: "MUSTER_LISTEN",
    value: "ADDR:PORT",
    doc: "address and port for agents, browsers and programs",
    default: "0.0.0.0:8080",
    read: readListen,
  },
  tlsCert: {
    flag: "--tls-cert",
    env: "MUSTER_TLS_CERT",
    value: "FILE",
    doc: "certificate chain (PEM); with --tls-key, serve https",
    default: null,
    read: path,
  },
  tlsKey: {
    flag: "--tls-key",
    env: "MUSTER_TLS_KEY",
    value: "FILE",
    doc: "private key (PEM) of --tls-cert",
    default: null,
    read: path,
  },
  baseUrl: {
    flag: "--base-url",
    env: "MUSTER_BASE_URL",
    value: "URL",
    doc: "origin under which people reach Muster, when it is behind a proxy",
    default: null,
    read: readBaseUrl,
  },
  trustedProxy: {
    flag: "--trusted-proxy",
    env: "MUSTER_TRUSTED_PROXY",
    value: "CIDR,...",
    doc: "proxies whose X-Forwarded-* headers are believed",
    default: "",
    read: readProxies,
  },
  adminPassword: {
    flag: null,
    env: "MUSTER_ADMIN_PASSWORD",
    file: true,
    value: "TEXT",
    doc: "password of the user admin, at the first start only",
    default: null,
    read: password,
  },
  collectorPassword: {
    flag: null,
    env: "MUSTER_COLLECTOR_PASSWORD",
    file: true,
    value: "TEXT",
    doc: "password with which agents post, at the first start only",
    default: null,
    read: password,
  },
};

type Environment = Record<string, string | undefined>;

/** Splits `--flag value` and `--flag=value`. @throws ConfigError on anything else */
function readFlags(argv: readonly string[]): Map<string, string> {
  const known = new Set(Object.values(SETTINGS).map((setting) => setting.flag));
  const flags = new Map<string, string>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? "";
    const [flag = "", inline] = word.split(/=(.*)/s);
    if (!known.has(flag)) throw new ConfigError(`unknown option "${word}" (see muster help)`);
    const value = inline ?? argv[++i];
    if (value === undefined) throw new ConfigError(`${flag}: a value is missing`);
    flags.set(flag, value);
  }
  return flags;
}

function readSetting<T>(setting: Setting<T>, flags: Map<string, string>, env: Environment): T | null {
  const fileName = setting.file ? env[`${setting.env}_FILE`] : undefined;
  const fromFlag = setting.flag === null ? undefined : flags.get(setting.flag);
  const source = fromFlag !== undefined ? setting.flag : fileName ? `${setting.env}_FILE` : setting.env;
  try {
    const text =
      fromFlag ??
      (fileName ? readFileSync(fileName, "utf8").replace(/\r?\n$/, "") : env[setting.env]) ??
      setting.default;
    return text === null || text === undefined ? null : setting.read(text);
  } catch (error) {
    throw new ConfigError(`${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Reads the settings from the command line after the command, and the environment.
 * @throws ConfigError with one sentence that names the flag or variable
 */
export function readConfig(argv: readonly string[], env: Environment): Config {
  const flags = readFlags(argv);
  const read = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [
      key,
      readSetting(setting as Setting<unknown>, flags, env),
    ]),
  );
  const config = read as unknown as Config;
  if ((config.tlsCert === null) !== (config.tlsKey === null))
    throw new ConfigError("--tls-cert and --tls-key belong together");
  return config;
}

/** The options as lines of help, one setting each. */
export function settingsHelp(): string {
  return Object.values(SETTINGS)
    .map((setting) => {
      const name = setting.flag ? `${setting.flag} ${setting.value}` : "";
      const initial = setting.default ? ` (default ${setting.default})` : "";
      const env = setting.file ? `${setting.env}[_FILE]` : setting.env;
      return `  ${name.padEnd(26)}${env.padEnd(34)}${setting.doc}${initial}`;
    })
    .join("\n");
}
