/** The executable in an empty folder: its first start, where it runs, what it serves. */
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { executableAlone, expectRefusal } from "./alone.ts";
import { eventually, Muster, PASSWORDS, temporaryFolder } from "./support.ts";

const emptyFolder = executableAlone();

const CERT = join(import.meta.dir, "../fixtures/tls/cert.pem");
const KEY = join(import.meta.dir, "../fixtures/tls/key.pem");

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
/** What the first start wrote for the administrator, once it did. */
const readFirstLogin = (dataFolder: string) =>
  eventually(
    "first-login.txt is written",
    () => readFileSync(join(dataFolder, "first-login.txt"), "utf8") || null,
  );

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
    writeFileSync(join(folder.path, "collector-password"), `${COLLECTOR_PASSWORD}\n`, { mode: 0o600 });
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
    const command = [folder.executable, "serve", "--data", "data", "--listen", "127.0.0.1:0"];
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
    await expectRefusal(
      ["serve", "--data", "data", ...listen],
      folder,
      `--listen: 127.0.0.1:${blocking.port}: another process listens there\n`,
    );
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
    await expectRefusal(
      ["serve", "--data", "second", ...listen],
      folder,
      `--listen: 127.0.0.1:${muster.port}: another process listens there\n`,
    );
    expect((await muster.client().get("/healthz")).status).toBe(200);
  });

  test("a secret.key that others can read is refused", async () => {
    using folder = emptyFolder();
    await using muster = await Muster.start(folder);
    await muster.stop();
    const key = join(folder.path, "data", "secret.key");
    chmodSync(key, 0o644);
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
    // What git checks out can be read by others.
    const key = join(folder.path, "key.pem");
    writeFileSync(key, readFileSync(KEY), { mode: 0o600 });
    await using muster = await Muster.start({ ...folder, args: ["--tls-cert", CERT, "--tls-key", key] });
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

test("passwords that came in the environment are gone from it, and nothing else is", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path, env: { ...PASSWORDS, OTHER: "kept" } });
  const environment = readFileSync(`/proc/${muster.pid}/environ`, "latin1");
  for (const password of Object.values(PASSWORDS)) expect(environment).not.toContain(password);
  expect(environment).toContain("OTHER=kept");
  expect((await muster.admin()).csrfToken).not.toBe("");
});
