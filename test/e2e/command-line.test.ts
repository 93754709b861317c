/** What the command line tells and refuses. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentsOf, DEPENDENCIES } from "../../scripts/sbom.ts";
import { type Config, SETTINGS } from "../../src/platform/config/config.definitions.ts";
import { VERSION } from "../../src/platform/version.ts";
import { executableAlone, expectRefusal } from "./alone.ts";
import { run, TIMEOUT } from "./support.ts";

setDefaultTimeout(TIMEOUT);

const emptyFolder = executableAlone();

describe("the command line", () => {
  test("tells the version", async () => {
    using folder = emptyFolder();
    for (const word of ["version", "--version"])
      expect(await run([word], folder)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test("tells its commit, its runtime and every package in it as JSON", async () => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await run(["version", "--json"], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { dependencies, ...told } = JSON.parse(stdout);
    const { commit } = JSON.parse(readFileSync(join(import.meta.dir, "../../dist/build.json"), "utf8"));
    expect(commit).toMatch(/^[0-9a-f]{40}(-dirty)?$/);
    const runtime = { name: "bun", version: Bun.version, revision: Bun.revision };
    const platform = `${process.platform}-${process.arch}`;
    expect(told).toEqual({ name: "muster", version: VERSION, commit, runtime, platform });
    const packages = componentsOf(DEPENDENCIES).map(({ name, version }) => ({ name, version }));
    expect(dependencies).toEqual(packages);
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(dependencies).toContainEqual({ name, version });
  });

  test("explains every setting, by flag and by environment variable", async () => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await run(["help"], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { flag, env, doc } of Object.values(SETTINGS))
      for (const part of [flag ?? "", env, doc]) expect(stdout).toContain(part);
  });

  test("refuses an unknown command or option in one line", async () => {
    using folder = emptyFolder();
    await expectRefusal(["frobnicate"], folder, '"frobnicate"');
    await expectRefusal(["serve", "--frobnicate"], folder, '"--frobnicate"');
    await expectRefusal(["serve", "stray"], folder, '"stray"');
    await expectRefusal(["serve", "--listen"], folder, "--listen");
    expect(existsSync(join(folder.path, "muster-data"))).toBe(false);
  });
});

const CERT = join(import.meta.dir, "../fixtures/tls/cert.pem");

/** Wrong values of each setting that has some: flags, and what the environment may add. */
const WRONG: Record<keyof Config, { args?: string[]; env?: Record<string, string>; name: string }[]> = {
  data: [
    { args: ["--data="], name: "--data" },
    { args: ["--data", "a-file"], name: "a-file" },
  ],
  database: [
    { args: ["--database", "mysql://host/name"], name: "--database" },
    { args: ["--database", "postgres://muster:secret@host/name"], name: "MUSTER_DATABASE" },
    { env: { MUSTER_DATABASE: "postgres://host/name" }, name: "MUSTER_DATABASE" },
  ],
  node: [{ args: ["--node="], name: "--node" }],
  listen: [
    { args: ["--listen", "nonsense"], name: "--listen" },
    { args: ["--listen", "127.0.0.1:65536"], name: "--listen" },
    { env: { MUSTER_LISTEN: "127.0.0.1" }, name: "MUSTER_LISTEN" },
  ],
  tlsCert: [
    { args: ["--tls-cert", "cert.pem"], name: "--tls-cert" },
    { args: ["--tls-cert", "missing.pem", "--tls-key", "a-file"], name: "--tls-cert" },
    { args: ["--tls-cert", "a-file", "--tls-key", "a-file"], name: "--tls-cert" },
  ],
  tlsKey: [
    { args: ["--tls-key", "key.pem"], name: "--tls-key" },
    { args: ["--tls-cert", CERT, "--tls-key", "missing.pem"], name: "--tls-key" },
    { args: ["--tls-cert", CERT, "--tls-key", "a-file"], name: "--tls-key" },
    { args: ["--tls-cert", CERT, "--tls-key", "other-key.pem"], name: "--tls-key" },
  ],
  baseUrl: [
    { args: ["--base-url", "muster.example.org"], name: "--base-url" },
    { args: ["--base-url", "https://muster.example.org/path"], name: "--base-url" },
    { env: { MUSTER_BASE_URL: "ftp://muster.example.org" }, name: "MUSTER_BASE_URL" },
  ],
  trustedProxy: [{ args: ["--trusted-proxy", "10.0.0.0/8,proxy"], name: "--trusted-proxy" }],
  channelReach: [{ args: ["--channel-reach", "everywhere"], name: "--channel-reach" }],
  allowExec: [{ args: ["--allow-exec", "true"], name: "--allow-exec" }],
  adminPassword: [
    { env: { MUSTER_ADMIN_PASSWORD: "" }, name: "MUSTER_ADMIN_PASSWORD" },
    { env: { MUSTER_ADMIN_PASSWORD_FILE: "missing" }, name: "MUSTER_ADMIN_PASSWORD_FILE" },
  ],
  collectorPassword: [
    { env: { MUSTER_COLLECTOR_PASSWORD: " ".repeat(256) }, name: "MUSTER_COLLECTOR_PASSWORD" },
    { env: { MUSTER_COLLECTOR_PASSWORD_FILE: "missing" }, name: "MUSTER_COLLECTOR_PASSWORD_FILE" },
  ],
  oidcIssuer: [
    { args: ["--oidc-issuer", "login.example.org"], name: "--oidc-issuer" },
    { args: ["--oidc-issuer", "http://login.example.org"], name: "--oidc-issuer" },
    { args: ["--oidc-issuer", "https://login.example.org/?realm=main"], name: "--oidc-issuer" },
    { args: ["--oidc-issuer", "https://login.example.org"], name: "--oidc-client-id" },
    {
      args: ["--oidc-issuer", "https://login.example.org", "--oidc-client-id", "muster"],
      name: "--base-url",
    },
  ],
  oidcClientId: [
    { args: ["--oidc-client-id", ""], name: "--oidc-client-id" },
    { args: ["--oidc-client-id", "muster"], name: "--oidc-issuer" },
  ],
  oidcClientSecret: [
    { env: { MUSTER_OIDC_CLIENT_SECRET: "" }, name: "MUSTER_OIDC_CLIENT_SECRET" },
    { env: { MUSTER_OIDC_CLIENT_SECRET_FILE: "missing" }, name: "MUSTER_OIDC_CLIENT_SECRET_FILE" },
  ],
  oidcGroupsClaim: [{ args: ["--oidc-groups-claim", ""], name: "--oidc-groups-claim" }],
  oidcAdminGroup: [{ env: { MUSTER_OIDC_ADMIN_GROUP: "" }, name: "MUSTER_OIDC_ADMIN_GROUP" }],
  oidcAllowedGroup: [{ args: ["--oidc-allowed-group", ""], name: "--oidc-allowed-group" }],
  oidcName: [{ args: ["--oidc-name", "x".repeat(256)], name: "--oidc-name" }],
  authProxyHeader: [
    {
      args: ["--trusted-proxy", "127.0.0.1", "--auth-proxy-header", "Remote User"],
      name: "--auth-proxy-header",
    },
    { args: ["--auth-proxy-header", "Remote-User"], name: "--trusted-proxy" },
  ],
  authProxyCreate: [{ args: ["--auth-proxy-create", "maybe"], name: "--auth-proxy-create" }],
  authProxyGroupsHeader: [
    { args: ["--auth-proxy-groups-header", "Remote-Groups"], name: "--auth-proxy-admin-group" },
    { args: ["--auth-proxy-groups-header", "a:b"], name: "--auth-proxy-groups-header" },
  ],
  authProxyAdminGroup: [
    { args: ["--auth-proxy-admin-group", "admins"], name: "--auth-proxy-groups-header" },
    {
      args: ["--auth-proxy-admin-group", "admins", "--auth-proxy-groups-header", "Remote-Groups"],
      name: "--auth-proxy-header",
    },
  ],
  logFormat: [{ args: ["--log-format", "yaml"], name: "--log-format" }],
  logLevel: [{ env: { MUSTER_LOG_LEVEL: "loud" }, name: "MUSTER_LOG_LEVEL" }],
};

describe("a wrong setting ends the start with one line that names it", () => {
  const cases = Object.values(WRONG).flat();
  const shown = cases.map((wrong) => [JSON.stringify(wrong.args ?? wrong.env).slice(0, 80), wrong] as const);
  test.each(shown)("%s", async (_, { args = [], env = {}, name }) => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, "a-file"), "neither a folder nor a certificate\n");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(join(folder.path, "other-key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const listen = args.includes("--listen") || "MUSTER_LISTEN" in env ? [] : ["--listen", "127.0.0.1:0"];
    await expectRefusal(["serve", ...listen, ...args], { ...folder, env }, name);
  });
});
