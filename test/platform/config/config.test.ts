import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, SETTINGS } from "../../../src/platform/config/config.definitions.ts";
import { type Environment, readConfig } from "../../../src/platform/config/config.ts";
import { ConfigError } from "../../../src/platform/config/values.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The settings by flags, and the environment. */
function configured(flags: Record<string, string>, env: Environment = {}) {
  return readConfig(new Map(Object.entries(flags)), env);
}

test("without anything, the defaults", () => {
  expect(configured({})).toMatchObject({
    data: "./muster-data",
    listen: [{ host: "0.0.0.0", port: 8080 }],
    tlsCert: null,
    tlsKey: null,
    baseUrl: null,
    trustedProxy: [],
    adminPassword: null,
    collectorPassword: null,
  });
});

test("a flag wins over the environment, the environment over the default", () => {
  const env = { MUSTER_DATA: "/env", MUSTER_LISTEN: "127.0.0.1:1" };
  expect(configured({ "--data": "/flag" }, env)).toMatchObject({
    data: "/flag",
    listen: [{ host: "127.0.0.1", port: 1 }],
  });
});

const LISTEN: readonly [text: string, host: string, port: number][] = [
  ["127.0.0.1:9000", "127.0.0.1", 9000],
  [":9000", "0.0.0.0", 9000],
  ["[::]:8080", "::", 8080],
  ["[::1]:0", "::1", 0],
  ["localhost:65535", "localhost", 65_535],
];
for (const [text, host, port] of LISTEN)
  test(`--listen ${text} is ${host} port ${port}`, () => {
    expect(configured({ "--listen": text }).listen).toEqual([{ host, port }]);
  });

test("several addresses have commas between, and one may be a socket of the machine", () => {
  expect(configured({ "--listen": "127.0.0.1:1, [::1]:2,unix:/run/muster.sock" }).listen).toEqual([
    { host: "127.0.0.1", port: 1 },
    { host: "::1", port: 2 },
    { path: "/run/muster.sock" },
  ]);
});

test("a base URL is an origin", () => {
  for (const text of ["https://muster.example", "https://muster.example/", "http://10.0.0.1:8080"])
    expect(configured({ "--base-url": text }).baseUrl?.origin).toBe(new URL(text).origin);
});

test("proxies are addresses and blocks of both families, with spaces or not", () => {
  expect(configured({ "--trusted-proxy": "10.0.0.0/8, ::1,192.0.2.1" }).trustedProxy).toEqual([
    { address: "10.0.0.0", bits: 8, family: "ipv4" },
    { address: "::1", bits: 128, family: "ipv6" },
    { address: "192.0.2.1", bits: 32, family: "ipv4" },
  ]);
});

/** Wrong values of each setting that has some, by flags and variables; the first is named, unless another one is. */
const WRONG: Readonly<
  Record<keyof Config, readonly (readonly [given: Record<string, string>, name?: string])[]>
> = {
  data: [[{ "--data": "" }]],
  database: [
    [{ "--database": "mysql://host/name" }],
    [{ "--database": "postgres://muster:secret@host/name" }, "MUSTER_DATABASE"],
    [{ MUSTER_DATABASE: "postgres://host/name" }],
  ],
  node: [[{ "--node": "" }]],
  listen: [
    [{ "--listen": "8080" }],
    [{ "--listen": "0.0.0.0:65536" }],
    [{ "--listen": "::1:8080" }],
    [{ "--listen": "host:port" }],
    [{ "--listen": "127.0.0.1:1," }],
    [{ "--listen": "unix:" }],
    [{ "--listen": `unix:/${"ü".repeat(60)}` }],
    [{ "--listen": "" }],
    [{ MUSTER_LISTEN: "127.0.0.1" }],
  ],
  tlsCert: [[{ "--tls-cert": "cert.pem" }]],
  tlsKey: [[{ "--tls-key": "key.pem" }]],
  baseUrl: [
    [{ "--base-url": "muster.example" }],
    [{ "--base-url": "https://muster.example/path" }],
    [{ "--base-url": "https://muster.example/?q" }],
    [{ "--base-url": "https://user@muster.example" }],
    [{ MUSTER_BASE_URL: "ftp://muster.example" }],
    [{ "--base-url": "javascript:alert(1)" }],
  ],
  trustedProxy: [
    [{ "--trusted-proxy": "10.0.0.0/8,proxy" }],
    [{ "--trusted-proxy": "10.0.0.0/33" }],
    [{ "--trusted-proxy": "10.0.0.0/" }],
    [{ "--trusted-proxy": "::1/129" }],
  ],
  channelReach: [[{ "--channel-reach": "everywhere" }]],
  backupIdentity: [[{ "--backup-identity": "" }]],
  allowExec: [[{ MUSTER_ALLOW_EXEC: "maybe" }]],
  adminPassword: [[{ MUSTER_ADMIN_PASSWORD: "" }], [{ MUSTER_ADMIN_PASSWORD_FILE: "missing" }]],
  collectorPassword: [
    [{ MUSTER_COLLECTOR_PASSWORD: " ".repeat(256) }],
    [{ MUSTER_COLLECTOR_PASSWORD_FILE: "missing" }],
  ],
  oidcIssuer: [
    [{ "--oidc-issuer": "login.example.org" }],
    [{ "--oidc-issuer": "http://login.example.org" }],
    [{ "--oidc-issuer": "https://login.example.org/?realm=main" }],
    [{ "--oidc-issuer": "https://login.example.org" }, "--oidc-client-id"],
    [{ "--oidc-issuer": "https://login.example.org", "--oidc-client-id": "muster" }, "--base-url"],
  ],
  oidcClientId: [[{ "--oidc-client-id": "" }], [{ "--oidc-client-id": "muster" }, "--oidc-issuer"]],
  oidcClientSecret: [[{ MUSTER_OIDC_CLIENT_SECRET: "" }], [{ MUSTER_OIDC_CLIENT_SECRET_FILE: "missing" }]],
  oidcGroupsClaim: [[{ "--oidc-groups-claim": "" }]],
  oidcAdminGroup: [[{ MUSTER_OIDC_ADMIN_GROUP: "" }]],
  oidcAllowedGroup: [[{ "--oidc-allowed-group": "" }]],
  oidcName: [[{ "--oidc-name": "x".repeat(256) }]],
  authProxyHeader: [
    [{ "--auth-proxy-header": "Remote User", "--trusted-proxy": "127.0.0.1" }],
    [{ "--auth-proxy-header": "Remote-User" }, "--trusted-proxy"],
  ],
  authProxyCreate: [[{ MUSTER_AUTH_PROXY_CREATE: "maybe" }]],
  authProxyGroupsHeader: [
    [{ "--auth-proxy-groups-header": "Remote-Groups" }, "--auth-proxy-header"],
    [{ "--auth-proxy-groups-header": "a:b" }],
  ],
  authProxyAdminGroup: [
    [{ "--auth-proxy-admin-group": "admins" }, "--auth-proxy-groups-header"],
    [
      { "--auth-proxy-admin-group": "admins", "--auth-proxy-groups-header": "Remote-Groups" },
      "--auth-proxy-header",
    ],
  ],
  logFormat: [[{ "--log-format": "xml" }]],
  logLevel: [[{ MUSTER_LOG_LEVEL: "loud" }]],
};
for (const [values, name = Object.keys(values)[0] ?? ""] of Object.values(WRONG).flat())
  test(`${JSON.stringify(values).slice(0, 80)} ends the start with one sentence that names ${name}`, () => {
    const of = (kind: RegExp) =>
      Object.fromEntries(Object.entries(values).filter(([setting]) => kind.test(setting)));
    const read = () => configured(of(/^--/), of(/^MUSTER_/));
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name);
    expect(read).not.toThrow("\n");
  });

test("groups that a proxy lists can set levels while administrators assign roles", () => {
  const proxy = { "--trusted-proxy": "127.0.0.1", "--auth-proxy-header": "Remote-User" };
  expect(configured({ ...proxy, "--auth-proxy-groups-header": "Remote-Groups" })).toMatchObject({
    authProxyGroupsHeader: "Remote-Groups",
    authProxyAdminGroup: null,
  });
});

describe("passwords", () => {
  const file = join(folder, "password");

  test("come from the environment or a file that it names, without the file's last line end", () => {
    for (const [content, password] of [
      ["long enough", "long enough"],
      ["long enough\n", "long enough"],
      ["long enough\r\n", "long enough"],
      [" long e \n\n", " long e \n"],
    ] as const) {
      writeFileSync(file, content, { mode: 0o600 });
      expect(configured({}, { MUSTER_ADMIN_PASSWORD_FILE: file }).adminPassword).toBe(password);
    }
    expect(configured({}, { MUSTER_COLLECTOR_PASSWORD: "x" }).collectorPassword).toBe("x");
  });

  test("do not come from a file that others can read", () => {
    const open = join(folder, "open-password");
    writeFileSync(open, "long enough");
    for (const [mode, isTaken] of [
      [0o644, false],
      [0o600, true],
      [0o400, true],
      [0o604, false],
    ] as const) {
      chmodSync(open, mode);
      const read = () => configured({}, { MUSTER_ADMIN_PASSWORD_FILE: open }).adminPassword;
      if (isTaken) expect(read()).toBe("long enough");
      else
        expect(read).toThrow(
          `MUSTER_ADMIN_PASSWORD_FILE: ${open} can be read by others; run: chmod 600 ${open}`,
        );
    }
  });

  test("are refused if both the variable and the one for its file are set, and no flag overrides them", () => {
    for (const variable of ["MUSTER_ADMIN_PASSWORD", "MUSTER_DATABASE"]) {
      const both = { [variable]: "postgres://muster@host/one", [`${variable}_FILE`]: "/nothing/there" };
      expect(() => configured({}, both)).toThrow(
        new ConfigError(`${variable} and ${variable}_FILE are both set: unset one of them`),
      );
    }
    const env = { MUSTER_DATABASE: "postgres://muster@host/one", MUSTER_DATABASE_FILE: "/nothing/there" };
    expect(configured({ "--database": "postgres://muster@host/two" }, env).database?.database).toBe("two");
    writeFileSync(file, "long enough", { mode: 0o600 });
    const unset = { MUSTER_ADMIN_PASSWORD: "", MUSTER_ADMIN_PASSWORD_FILE: file };
    expect(configured({}, unset).adminPassword).toBe("long enough");
  });

  test("that are too long are never shown", () => {
    expect(() => configured({}, { MUSTER_ADMIN_PASSWORD: `secret-${"x".repeat(255)}` })).not.toThrow(
      /secret-/,
    );
  });

  test("have no flag: a command line is for all to see", () => {
    expect([SETTINGS.adminPassword.flag, SETTINGS.collectorPassword.flag]).toEqual([null, null]);
  });
});

test("every setting has a variable of its own, and a phrase that says what it is for", () => {
  const settings = Object.values(SETTINGS);
  expect(new Set(settings.map(({ env }) => env)).size).toBe(settings.length);
  for (const { env, doc } of settings) {
    expect(env).toMatch(/^MUSTER_[A-Z_]+$/);
    expect(doc.length).toBeGreaterThan(10);
  }
});
