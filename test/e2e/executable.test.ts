import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentsOf, DEPENDENCIES } from "../../scripts/sbom.ts";
import { type Config, SETTINGS } from "../../src/platform/config/config.definitions.ts";
import { VERSION } from "../../src/platform/version.ts";
import { agentXml } from "../support/agent-messages.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/app.ts";
import {
  EXECUTABLE,
  eventually,
  Muster,
  PASSWORDS,
  type RunOptions,
  run,
  TIMEOUT,
  temporaryFolder,
} from "./support.ts";

setDefaultTimeout(TIMEOUT);

const home = temporaryFolder();
const executable = join(home.path, "alone", "muster");

beforeAll(() => {
  mkdirSync(join(home.path, "alone"));
  copyFileSync(EXECUTABLE, executable);
  chmodSync(executable, 0o755);
});
afterAll(home.remove);

/** An empty folder in which the executable, which is alone in another one, is run. */
function emptyFolder() {
  const folder = temporaryFolder();
  return { ...folder, cwd: folder.path, executable };
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** What the first start wrote for the administrator, once it did. */
const readFirstLogin = (dataFolder: string) =>
  eventually(
    "first-login.txt is written",
    () => readFileSync(join(dataFolder, "first-login.txt"), "utf8") || null,
  );
const LINE = /^[^\n]+\n$/;

async function expectRefusal(args: string[], options: RunOptions, ...names: string[]) {
  const { code, stdout, stderr } = await run(args, options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(LINE);
  expect(stderr).toStartWith("muster: ");
  for (const name of names) expect(stderr).toContain(name);
}

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
const KEY = join(import.meta.dir, "../fixtures/tls/key.pem");

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

describe("the first start", () => {
  test("makes a data folder that only its owner can enter, with a key and the first login", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start({ ...folder, env: {} });
    const data = join(folder.path, "data");
    const firstLogin = await readFirstLogin(data);
    expect(modeOf(data)).toBe("700");
    expect(modeOf(join(data, "secret.key"))).toBe("600");
    expect(modeOf(join(data, "muster.db"))).toBe("600");
    expect(modeOf(join(data, "first-login.txt"))).toBe("600");
    expect(existsSync(join(data, "muster.db"))).toBe(true);

    const password = /password +(\S+)/.exec(firstLogin)?.[1] ?? "";
    const collector = /set mmonit (http:\/\/monit:(\S+)@127\.0\.0\.1:\d+\/collector)/.exec(firstLogin);
    expect(collector?.[1]).toEndWith(`@127.0.0.1:${muster.port}/collector`);
    await muster.client().signIn("admin", password);
    expect((await muster.client().report({}, collector?.[2] ?? "")).status).toBe(200);
    expect(muster.output).toContain("data/first-login.txt");
    expect(muster.output).not.toContain(password);
    expect(muster.output).not.toContain(collector?.[2] ?? "");
  });

  test("never shows a password that was given, in the environment or in a file", async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, "collector-password"), `${COLLECTOR_PASSWORD}\n`);
    const env = {
      MUSTER_ADMIN_PASSWORD: ADMIN_PASSWORD,
      MUSTER_COLLECTOR_PASSWORD_FILE: join(folder.path, "collector-password"),
    };
    await using muster = await Muster.start({ ...folder, env });
    await muster.admin();
    expect((await muster.report({})).status).toBe(200);
    await muster.stop();
    const written = muster.output + (await readFirstLogin(join(folder.path, "data")));
    for (const secret of [ADMIN_PASSWORD, COLLECTOR_PASSWORD]) {
      expect(written).not.toContain(secret);
      expect(written).not.toContain(encodeURIComponent(secret));
    }
  });

  test("shows generated passwords once on a terminal, and then writes no file", async () => {
    using folder = emptyFolder();
    let shown = "";
    const command = [executable, "serve", "--data", "data", "--listen", "127.0.0.1:0"];
    const child = Bun.spawn(command, {
      cwd: folder.path,
      env: { PATH: "/usr/bin:/bin", HOME: folder.path },
      terminal: {
        cols: 200,
        data: (_, bytes) => {
          shown += Buffer.from(bytes).toString();
        },
      },
    });
    try {
      await eventually("the first login is shown", () => shown.includes("set mmonit http"));
    } finally {
      child.kill();
      await child.exited;
    }
    expect(shown).toMatch(/password {2}[A-Za-z0-9]{16,}/);
    expect(existsSync(join(folder.path, "data", "first-login.txt"))).toBe(false);
  });

  test("that fails leaves no administrator whose password nobody was told", async () => {
    using folder = emptyFolder();
    await using blocking = await Muster.start({ ...folder, data: "other" });
    const listen = ["--listen", `127.0.0.1:${blocking.port}`];
    await expectRefusal(["serve", "--data", "data", ...listen], folder, `port ${blocking.port}`);
    await blocking.stop();
    await using muster = await Muster.start({ ...folder, env: {} });
    const firstLogin = await readFirstLogin(join(folder.path, "data"));
    await muster.client().signIn("admin", /password +(\S+)/.exec(firstLogin)?.[1] ?? "");
  });
});

describe("where it runs", () => {
  test("a .env file and a bunfig.toml in its folder are not read", async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, ".env"), "MUSTER_BASE_URL=nonsense\n");
    writeFileSync(join(folder.path, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(folder.path, "preload.ts"), 'await Bun.write("preloaded", "");\n');
    await using muster = await Muster.start(folder);
    expect((await muster.client().get("/healthz")).status).toBe(200);
    expect(existsSync(join(folder.path, "preloaded"))).toBe(false);
  });

  test("a port that is taken ends the start with one line", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    const listen = ["--listen", `127.0.0.1:${muster.port}`];
    await expectRefusal(["serve", "--data", "second", ...listen], folder, `port ${muster.port}`);
    expect((await muster.client().get("/healthz")).status).toBe(200);
  });

  test("a secret.key that others can read is refused", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    await muster.stop();
    const key = join(folder.path, "data", "secret.key");
    chmodSync(key, 0o640);
    await expectRefusal(
      ["serve", "--data", "data", "--listen", "127.0.0.1:0"],
      folder,
      "data/secret.key",
      "chmod 600",
    );
    chmodSync(key, 0o600);
    await using again = await Muster.start(folder);
    await again.admin();
  });
});

describe("a running Muster", () => {
  test("serves the UI with its files, the health check and the API", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    const client = muster.client();
    const page = await client.get("/");
    expect({ status: page.status, type: page.headers.get("Content-Type") }).toEqual({
      status: 200,
      type: "text/html; charset=utf-8",
    });
    const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? "");
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files)
      expect({ file, status: (await client.get(file)).status }).toEqual({ file, status: 200 });
    expect((await client.get("/hosts/1")).text).toBe(page.text);
    expect((await client.get("/healthz")).json).toMatchObject({ status: "ok" });
    expect((await client.get("/api/1/status/hosts/list")).status).toBe(401);
    expect((await client.get("/api/1/no/such")).status).toBe(404);
  });

  test("serves https, with cookies that travel no other way, where it has certificate and key", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start({ ...folder, args: ["--tls-cert", CERT, "--tls-key", KEY] });
    expect(muster.url).toBe(`https://127.0.0.1:${muster.port}`);
    const login = new URLSearchParams({ z_username: "admin", z_password: ADMIN_PASSWORD });
    const reply = await fetch(`${muster.url}/api/1/login`, {
      method: "POST",
      body: login,
      tls: { ca: readFileSync(CERT, "utf8") },
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Set-Cookie")).toMatch(/^zsessionid=.*; Secure/);
  });

  test("keeps hosts, events and sessions over an orderly stop and a new start", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    const at = Math.floor(Date.now() / 1000);
    const message = { at, hostname: "kept.example.org", services: [{ name: "app", status: 512 }] };
    expect((await muster.report({ ...message, event: { service: "app", message: "gone" } })).status).toBe(
      200,
    );
    const admin = await muster.admin();
    const hosts = await admin.get("/api/1/status/hosts/list");
    expect(hosts.json.records).toMatchObject([{ hostname: "kept.example.org", events: 1 }]);
    expect(await muster.stop()).toBe(0);
    expect(muster.output).toEndWith("info muster is stopping\n");

    await using again = await Muster.start({ ...folder, port: muster.port, env: {} });
    expect((await admin.get("/api/1/status/hosts/list")).json).toEqual(hosts.json);
    const events = await admin.get("/api/1/reports/events/list");
    expect(events.json.records).toMatchObject([
      { hostname: "kept.example.org", servicename: "app", event: "gone" },
    ]);
    // The first start's passwords stay, and are not announced again.
    await again.admin();
    expect(again.output).not.toContain("first login");
  });
});

/**
 * A message on its way: the first half is sent, `finish` sends the other and gives the status of the answer. `closed`
 * resolves with the connection.
 */
async function halfSent(muster: Muster, hostname: string) {
  const body = agentXml({ hostname });
  const login = Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64");
  const socket = connect(muster.port, "127.0.0.1");
  const answer = new Promise<string>((resolve, reject) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.once("close", () => resolve(text));
    socket.once("error", reject);
  });
  answer.catch(() => "looked at in finish");
  const head = [
    "POST /collector HTTP/1.1",
    `Host: 127.0.0.1:${muster.port}`,
    `Authorization: Basic ${login}`,
    "Content-Type: text/xml",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  await new Promise<void>((resolve) => {
    socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 100)}`, () => resolve());
  });
  // Accepted and read by the server once it answers a request that was sent later.
  await muster.client().get("/healthz");
  const finish = async () => {
    socket.write(body.slice(100));
    return (await answer).split("\r\n")[0];
  };
  const closed = answer.catch(() => "");
  return { finish, closed, [Symbol.dispose]: () => void socket.destroy() };
}

describe("the stop", () => {
  test("lets a request that is under way finish, and takes no new one", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    using message = await halfSent(muster, "in-flight.example.org");
    const stopped = muster.stop();
    await eventually("it stops", () => muster.output.includes("muster is stopping"));
    expect(muster.client().get("/healthz")).rejects.toThrow();
    expect(await message.finish()).toBe("HTTP/1.1 200 OK");
    expect(await stopped).toBe(0);

    await using again = await Muster.start(folder);
    const list = await (await again.admin()).get("/api/1/status/hosts/list");
    expect(list.json.records).toMatchObject([{ hostname: "in-flight.example.org" }]);
  });

  test("cuts a request that never ends, but first who keeps a connection without one", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start({ ...folder, env: PASSWORDS });
    using finishing = await halfSent(muster, "finishes.example.org");
    using endless = await halfSent(muster, "never.example.org");
    const closed: string[] = [];
    void finishing.closed.then(() => closed.push("finishing"));
    void endless.closed.then(() => closed.push("endless"));
    const stopped = muster.stop();
    await eventually("it stops", () => muster.output.includes("muster is stopping"));
    expect(await finishing.finish()).toBe("HTTP/1.1 200 OK");
    expect(await stopped).toBe(0);
    await endless.closed;
    expect(closed).toEqual(["finishing", "endless"]);
  });
});

test("passwords that came in the environment are gone from it, and nothing else is", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path, env: { ...PASSWORDS, OTHER: "kept" } });
  const environment = readFileSync(`/proc/${muster.pid}/environ`, "latin1");
  for (const password of Object.values(PASSWORDS)) expect(environment).not.toContain(password);
  expect(environment).toContain("OTHER=kept");
  expect((await muster.admin()).csrfToken).not.toBe("");
});
