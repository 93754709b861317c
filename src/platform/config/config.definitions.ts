/** The settings, as data: the help and the table in docs/operations.md are made from this list. */
import { LOG_FORMATS, LOG_LEVELS } from "../log.ts";
import { REACHES } from "../net/addresses.ts";
import * as read from "./values.ts";

/** A setting. Its name gives its flag and variable: `baseUrl` is --base-url and MUSTER_BASE_URL. */
interface Declaration {
  /** Placeholder for the value in the help. */
  value: string;
  doc: string;
  /** Absent for a setting that is null unless it is set. */
  default?: string;
  /**
   * A command line shows its arguments to every user of the machine, so a secret has no flag. Instead, the
   * variable <name>_FILE may name a file that holds it.
   */
  secret?: true;
  /** Whether the value may contain a password. Its flag then accepts only a value without one. */
  mayBeSecret?: true;
  /** @throws ConfigError that says what the value must be */
  read: (text: string) => unknown;
}

const DECLARATIONS = {
  data: {
    value: "DIR",
    doc: "data folder: muster.db, secret.key, backups",
    default: "./muster-data",
    read: read.path,
  },
  database: {
    mayBeSecret: true,
    value: "URL",
    doc: "PostgreSQL database to use instead of muster.db: postgres://user@host/name; a password only by variable or file",
    read: read.databaseUrl,
  },
  node: {
    value: "NAME",
    doc: "name of this node among several on one PostgreSQL database; the machine's name by default",
    read: read.shortText,
  },
  listen: {
    value: "ADDR:PORT,...",
    doc: "addresses to listen on; also unix:/path",
    default: "0.0.0.0:8080",
    read: read.listen,
  },
  tlsCert: {
    value: "FILE",
    doc: "certificate chain (PEM); with --tls-key, serve https",
    read: read.path,
  },
  tlsKey: { value: "FILE", doc: "private key (PEM) of --tls-cert", read: read.path },
  baseUrl: {
    value: "URL",
    doc: "public origin of Muster, when it is behind a proxy; links in messages begin with it",
    read: read.baseUrl,
  },
  trustedProxy: {
    value: "CIDR,...",
    doc: "proxies whose X-Forwarded-* headers are trusted",
    default: "",
    read: read.proxies,
  },
  adminPassword: {
    secret: true,
    value: "TEXT",
    doc: "password of the user admin, at the first start only",
    read: read.newPassword,
  },
  collectorPassword: {
    secret: true,
    value: "TEXT",
    doc: "password with which agents post, at the first start only",
    read: read.shortText,
  },
  channelReach: {
    value: "REACH",
    doc: "networks that alert channels may reach: public, private (private networks too), loopback (this machine too)",
    default: "private",
    read: read.oneWordOf(REACHES),
  },
  backupIdentity: {
    value: "FILE",
    doc: "private key (age) with which Muster proves its encrypted backups; without it, it compares only their checksums",
    read: read.path,
  },
  allowExec: {
    value: "yes|no",
    doc: "whether alert channels may start programs on this machine",
    default: "no",
    read: read.yesOrNo,
  },
  oidcIssuer: {
    value: "URL",
    doc: "issuer URL of the OpenID provider for sign-in; needs --oidc-client-id and --base-url",
    read: read.issuer,
  },
  oidcClientId: { value: "ID", doc: "client id of Muster at the provider", read: read.shortText },
  oidcClientSecret: {
    secret: true,
    value: "TEXT",
    doc: "client secret of Muster at the provider; none for a public client",
    read: read.someText,
  },
  oidcGroupsClaim: {
    value: "NAME",
    doc: "claim that lists a user's groups",
    default: "groups",
    read: read.shortText,
  },
  oidcAdminGroup: {
    value: "GROUP",
    doc: "provider group whose members are administrators; the provider's other users are not",
    read: read.shortText,
  },
  oidcAllowedGroup: {
    value: "GROUP",
    doc: "provider group whose members may sign in; the provider's other users may not",
    read: read.shortText,
  },
  oidcName: {
    value: "TEXT",
    doc: "name of the provider on the sign-in page",
    default: "single sign-on",
    read: read.shortText,
  },
  authProxyHeader: {
    value: "NAME",
    doc: "header in which a trusted proxy names the user it authenticated",
    read: read.headerName,
  },
  authProxyCreate: {
    value: "yes|no",
    doc: "create an account when the proxy first names a user",
    default: "no",
    read: read.yesOrNo,
  },
  authProxyGroupsHeader: {
    value: "NAME",
    doc: "header in which the proxy lists the user's groups, separated by commas",
    read: read.headerName,
  },
  authProxyAdminGroup: {
    value: "GROUP",
    doc: "group in that header whose members are administrators; the proxy's other users are not",
    read: read.shortText,
  },
  logFormat: {
    value: "text|json",
    doc: "format of log lines",
    default: "text",
    read: read.oneWordOf(LOG_FORMATS),
  },
  logLevel: {
    value: "LEVEL",
    doc: `lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
    default: "info",
    read: read.oneWordOf(LOG_LEVELS),
  },
} satisfies Record<string, Declaration>;

type Declarations = typeof DECLARATIONS;
export type ConfigName = keyof Declarations;

/** The values of all settings, by name. */
export type Config = {
  [K in ConfigName]:
    | ReturnType<Declarations[K]["read"]>
    | (Declarations[K] extends { default: string } ? never : null);
};

/** A setting with its flag and variable; a secret has no flag. */
export type Setting = Declaration & { flag: string | null; env: string };

function settingOf(name: string, declaration: Declaration): Setting {
  const words = name.replace(/[A-Z]/g, "-$&").toLowerCase();
  const env = `MUSTER_${words.replaceAll("-", "_").toUpperCase()}`;
  return { ...declaration, flag: declaration.secret ? null : `--${words}`, env };
}

/** All settings by name, in the order of the help. */
export const SETTINGS = Object.fromEntries(
  Object.entries(DECLARATIONS).map(([name, declaration]) => [name, settingOf(name, declaration)]),
) as Record<ConfigName, Setting>;

export const SETTING_NAMES = Object.keys(DECLARATIONS) as ConfigName[];
