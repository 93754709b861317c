/**
 * The settings of the command line and the environment, as data: the help and the table in docs/operations.md are made
 * from this list. A flag wins over the environment, the environment over the default.
 */
import { readFileSync } from "node:fs";
import * as v from "valibot";
import { REACHES, type Reach } from "./channels/addresses.ts";
import { type CidrBlock, parseCidr } from "./http/client-address.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "./log.ts";
import { Refusal } from "./refusal.ts";

/** A wrong setting or command line. */
export class ConfigError extends Refusal {}

/** An address and a port, or a unix socket. */
export type ListenAddress = { host: string; port: number } | { path: string };

export interface Config {
  data: string;
  /** At least one. */
  listen: ListenAddress[];
  tlsCert: string | null;
  tlsKey: string | null;
  baseUrl: URL | null;
  trustedProxy: CidrBlock[];
  adminPassword: string | null;
  collectorPassword: string | null;
  channelReach: Reach;
  allowExec: boolean;
  oidcIssuer: URL | null;
  oidcClientId: string | null;
  oidcClientSecret: string | null;
  oidcGroupsClaim: string;
  oidcAdminGroup: string | null;
  oidcAllowedGroup: string | null;
  oidcName: string;
  authProxyHeader: string | null;
  authProxyCreate: boolean;
  authProxyGroupsHeader: string | null;
  authProxyAdminGroup: string | null;
  logFormat: LogFormat;
  logLevel: LogLevel;
}

export interface Setting<T> {
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

function readListen(text: string): ListenAddress[] {
  return text.split(",").map((part) => readAddress(part.trim()));
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

/** Secrets and tokens go there: in the clear only as far as this machine. */
function readIssuer(text: string): URL {
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

const word = rule(
  v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(255, "must be at most 255 characters")),
);
const headerName = rule(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of a header, as in Remote-User")),
);

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
    value: "ADDR:PORT,...",
    doc: "where agents, browsers and programs connect; also unix:/path",
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
  channelReach: {
    flag: "--channel-reach",
    env: "MUSTER_CHANNEL_REACH",
    value: "REACH",
    doc: "how far alert channels may go: public, private (networks of the house too), loopback (this machine too)",
    default: "private",
    read: rule(v.picklist(REACHES, `must be one of ${REACHES.join(", ")}`)),
  },
  allowExec: {
    flag: "--allow-exec",
    env: "MUSTER_ALLOW_EXEC",
    value: "yes|no",
    doc: "whether alert channels may start programs on this machine",
    default: "no",
    read: (text) => rule(v.picklist(["yes", "no"], "must be yes or no"))(text) === "yes",
  },
  oidcIssuer: {
    flag: "--oidc-issuer",
    env: "MUSTER_OIDC_ISSUER",
    value: "URL",
    doc: "OpenID provider with which people sign in; needs --oidc-client-id and --base-url",
    default: null,
    read: readIssuer,
  },
  oidcClientId: {
    flag: "--oidc-client-id",
    env: "MUSTER_OIDC_CLIENT_ID",
    value: "ID",
    doc: "what the provider knows Muster as",
    default: null,
    read: word,
  },
  oidcClientSecret: {
    flag: null,
    env: "MUSTER_OIDC_CLIENT_SECRET",
    file: true,
    value: "TEXT",
    doc: "the provider's secret for Muster; none for a public client",
    default: null,
    read: rule(v.pipe(v.string(), v.minLength(1, "must not be empty"))),
  },
  oidcGroupsClaim: {
    flag: "--oidc-groups-claim",
    env: "MUSTER_OIDC_GROUPS_CLAIM",
    value: "NAME",
    doc: "claim that lists a user's groups",
    default: "groups",
    read: word,
  },
  oidcAdminGroup: {
    flag: "--oidc-admin-group",
    env: "MUSTER_OIDC_ADMIN_GROUP",
    value: "GROUP",
    doc: "group of the provider whose members are administrators, and nobody else of it",
    default: null,
    read: word,
  },
  oidcAllowedGroup: {
    flag: "--oidc-allowed-group",
    env: "MUSTER_OIDC_ALLOWED_GROUP",
    value: "GROUP",
    doc: "group of the provider whose members alone may sign in",
    default: null,
    read: word,
  },
  oidcName: {
    flag: "--oidc-name",
    env: "MUSTER_OIDC_NAME",
    value: "TEXT",
    doc: "what the provider is called on the sign-in page",
    default: "single sign-on",
    read: word,
  },
  authProxyHeader: {
    flag: "--auth-proxy-header",
    env: "MUSTER_AUTH_PROXY_HEADER",
    value: "NAME",
    doc: "header in which a trusted proxy names the user it has signed in",
    default: null,
    read: headerName,
  },
  authProxyCreate: {
    flag: "--auth-proxy-create",
    env: "MUSTER_AUTH_PROXY_CREATE",
    value: "yes|no",
    doc: "make an account for whom the proxy names first",
    default: "no",
    read: (text) => rule(v.picklist(["yes", "no"], "must be yes or no"))(text) === "yes",
  },
  authProxyGroupsHeader: {
    flag: "--auth-proxy-groups-header",
    env: "MUSTER_AUTH_PROXY_GROUPS_HEADER",
    value: "NAME",
    doc: "header in which the proxy lists the user's groups, with commas between",
    default: null,
    read: headerName,
  },
  authProxyAdminGroup: {
    flag: "--auth-proxy-admin-group",
    env: "MUSTER_AUTH_PROXY_ADMIN_GROUP",
    value: "GROUP",
    doc: "group in that header whose members are administrators, and nobody else of the proxy",
    default: null,
    read: word,
  },
  logFormat: {
    flag: "--log-format",
    env: "MUSTER_LOG_FORMAT",
    value: "text|json",
    doc: "form of the log's lines",
    default: "text",
    read: rule(v.picklist(LOG_FORMATS, `must be ${LOG_FORMATS.join(" or ")}`)),
  },
  logLevel: {
    flag: "--log-level",
    env: "MUSTER_LOG_LEVEL",
    value: "LEVEL",
    doc: `least of ${LOG_LEVELS.join(", ")} that is logged`,
    default: "info",
    read: rule(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`)),
  },
};

export type Environment = Record<string, string | undefined>;

/** Flags as they were given, without those that were not. */
export type Flags = ReadonlyMap<string, string>;

/** Where a setting's value comes from: the name of the flag or variable, null for the default; and its file, if any. */
export function sourceOf(setting: Setting<unknown>, flags: Flags, env: Environment) {
  const { flag, env: variable, file } = setting;
  const fileName = file ? env[`${variable}_FILE`] : undefined;
  if (flag !== null && flags.has(flag)) return { name: flag, fileName: undefined };
  if (fileName) return { name: `${variable}_FILE`, fileName };
  return { name: env[variable] === undefined ? null : variable, fileName: undefined };
}

function textOf(setting: Setting<unknown>, flags: Flags, env: Environment): string | null {
  const { name, fileName } = sourceOf(setting, flags, env);
  if (fileName) return readFileSync(fileName, "utf8").replace(/\r?\n$/, "");
  if (name === null) return setting.default;
  return flags.get(name) ?? env[name] ?? null;
}

function read<T>(setting: Setting<T>, flags: Flags, env: Environment): T | null {
  try {
    const text = textOf(setting, flags, env);
    return text === null ? null : setting.read(text);
  } catch (error) {
    const { name } = sourceOf(setting, flags, env);
    throw new ConfigError(
      `${name ?? setting.env}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** One setting. @throws ConfigError with one sentence that names the flag or variable */
export function readSetting<K extends keyof Config>(name: K, flags: Flags, env: Environment): Config[K] {
  return read(SETTINGS[name] as Setting<unknown>, flags, env) as Config[K];
}

/** Settings of signing in that mean nothing, or something unsafe, without others. */
function checkSignIn(config: Config): void {
  if ((config.oidcIssuer === null) !== (config.oidcClientId === null))
    throw new ConfigError("--oidc-issuer and --oidc-client-id belong together");
  if (config.oidcIssuer && !config.baseUrl)
    throw new ConfigError("--oidc-issuer needs --base-url: the provider sends browsers back there");
  const meetsProxies = config.trustedProxy.length > 0 || config.listen.some((address) => "path" in address);
  if (config.authProxyHeader !== null && !meetsProxies)
    throw new ConfigError("--auth-proxy-header needs --trusted-proxy: nobody else is believed");
  if ((config.authProxyGroupsHeader === null) !== (config.authProxyAdminGroup === null))
    throw new ConfigError("--auth-proxy-groups-header and --auth-proxy-admin-group belong together");
  if (config.authProxyAdminGroup !== null && config.authProxyHeader === null)
    throw new ConfigError("--auth-proxy-admin-group needs --auth-proxy-header");
}

/** All settings. @throws ConfigError with one sentence that names the flag or variable */
export function readConfig(flags: Flags, env: Environment): Config {
  const names = Object.keys(SETTINGS) as (keyof Config)[];
  const config = Object.fromEntries(
    names.map((name) => [name, readSetting(name, flags, env)]),
  ) as unknown as Config;
  if ((config.tlsCert === null) !== (config.tlsKey === null))
    throw new ConfigError("--tls-cert and --tls-key belong together");
  checkSignIn(config);
  return config;
}

/** The settings as they are in effect, one each, as people would give them. Secrets are not shown. */
export function effectiveSettings(
  flags: Flags,
  env: Environment,
): { name: string; text: string; source: string }[] {
  return Object.values(SETTINGS as Record<string, Setting<unknown>>).map((setting) => {
    const text = textOf(setting, flags, env) ?? "";
    return {
      name: setting.flag ?? setting.env,
      text: setting.file && text !== "" ? "(hidden)" : text,
      source: sourceOf(setting, flags, env).name ?? "default",
    };
  });
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
