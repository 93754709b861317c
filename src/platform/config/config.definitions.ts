/** The settings, as data: the help and the table in docs/operations.md are made from this list. */

import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../log.ts";
import { REACHES, type Reach } from "../net/addresses.ts";
import type { CidrBlock } from "../net/client-address.ts";
import {
  headerName,
  type ListenAddress,
  oneWordOf,
  path,
  readBaseUrl,
  readIssuer,
  readListen,
  readProxies,
  secret,
  shortText,
  yesOrNo,
} from "./values.ts";

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
    doc: "addresses to listen on; also unix:/path",
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
    doc: "public origin of Muster, when it is behind a proxy; links in messages begin with it",
    default: null,
    read: readBaseUrl,
  },
  trustedProxy: {
    flag: "--trusted-proxy",
    env: "MUSTER_TRUSTED_PROXY",
    value: "CIDR,...",
    doc: "proxies whose X-Forwarded-* headers are trusted",
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
    read: shortText,
  },
  collectorPassword: {
    flag: null,
    env: "MUSTER_COLLECTOR_PASSWORD",
    file: true,
    value: "TEXT",
    doc: "password with which agents post, at the first start only",
    default: null,
    read: shortText,
  },
  channelReach: {
    flag: "--channel-reach",
    env: "MUSTER_CHANNEL_REACH",
    value: "REACH",
    doc: "networks that alert channels may reach: public, private (private networks too), loopback (this machine too)",
    default: "private",
    read: oneWordOf(REACHES),
  },
  allowExec: {
    flag: "--allow-exec",
    env: "MUSTER_ALLOW_EXEC",
    value: "yes|no",
    doc: "whether alert channels may start programs on this machine",
    default: "no",
    read: yesOrNo,
  },
  oidcIssuer: {
    flag: "--oidc-issuer",
    env: "MUSTER_OIDC_ISSUER",
    value: "URL",
    doc: "issuer URL of the OpenID provider for sign-in; needs --oidc-client-id and --base-url",
    default: null,
    read: readIssuer,
  },
  oidcClientId: {
    flag: "--oidc-client-id",
    env: "MUSTER_OIDC_CLIENT_ID",
    value: "ID",
    doc: "client id of Muster at the provider",
    default: null,
    read: shortText,
  },
  oidcClientSecret: {
    flag: null,
    env: "MUSTER_OIDC_CLIENT_SECRET",
    file: true,
    value: "TEXT",
    doc: "client secret of Muster at the provider; none for a public client",
    default: null,
    read: secret,
  },
  oidcGroupsClaim: {
    flag: "--oidc-groups-claim",
    env: "MUSTER_OIDC_GROUPS_CLAIM",
    value: "NAME",
    doc: "claim that lists a user's groups",
    default: "groups",
    read: shortText,
  },
  oidcAdminGroup: {
    flag: "--oidc-admin-group",
    env: "MUSTER_OIDC_ADMIN_GROUP",
    value: "GROUP",
    doc: "provider group whose members are administrators; the provider's other users are not",
    default: null,
    read: shortText,
  },
  oidcAllowedGroup: {
    flag: "--oidc-allowed-group",
    env: "MUSTER_OIDC_ALLOWED_GROUP",
    value: "GROUP",
    doc: "provider group whose members may sign in; the provider's other users may not",
    default: null,
    read: shortText,
  },
  oidcName: {
    flag: "--oidc-name",
    env: "MUSTER_OIDC_NAME",
    value: "TEXT",
    doc: "name of the provider on the sign-in page",
    default: "single sign-on",
    read: shortText,
  },
  authProxyHeader: {
    flag: "--auth-proxy-header",
    env: "MUSTER_AUTH_PROXY_HEADER",
    value: "NAME",
    doc: "header in which a trusted proxy names the user it authenticated",
    default: null,
    read: headerName,
  },
  authProxyCreate: {
    flag: "--auth-proxy-create",
    env: "MUSTER_AUTH_PROXY_CREATE",
    value: "yes|no",
    doc: "create an account when the proxy first names a user",
    default: "no",
    read: yesOrNo,
  },
  authProxyGroupsHeader: {
    flag: "--auth-proxy-groups-header",
    env: "MUSTER_AUTH_PROXY_GROUPS_HEADER",
    value: "NAME",
    doc: "header in which the proxy lists the user's groups, separated by commas",
    default: null,
    read: headerName,
  },
  authProxyAdminGroup: {
    flag: "--auth-proxy-admin-group",
    env: "MUSTER_AUTH_PROXY_ADMIN_GROUP",
    value: "GROUP",
    doc: "group in that header whose members are administrators; the proxy's other users are not",
    default: null,
    read: shortText,
  },
  logFormat: {
    flag: "--log-format",
    env: "MUSTER_LOG_FORMAT",
    value: "text|json",
    doc: "format of log lines",
    default: "text",
    read: oneWordOf(LOG_FORMATS),
  },
  logLevel: {
    flag: "--log-level",
    env: "MUSTER_LOG_LEVEL",
    value: "LEVEL",
    doc: `lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
    default: "info",
    read: oneWordOf(LOG_LEVELS),
  },
};
