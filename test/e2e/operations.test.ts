/** What an administrator does with the executable besides using it, and what goes wrong around it. */
import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import type { EventXml } from "../support/agent-messages.ts";
import { ADMIN_PASSWORD } from "../support/app.ts";
import { EXECUTABLE, eventually, Muster, PASSWORDS, run, TIMEOUT, temporaryFolder } from "./support.ts";

setDefaultTimeout(TIMEOUT);

const AT = Math.floor(Date.now() / 1000);
const report = (muster: Muster, id: string, event: EventXml | null = null) =>
  muster.report({
    id,
    hostname: id,
    at: AT,
    poll: 3600,
    services: [{ name: "app" }],
    event,
  });

const LINE = /^muster: [^\n]+\n$/;

/** A start, or another command, that is refused in one line. */
async function expectRefusal(args: string[], cwd: string, said: string): Promise<void> {
  const { code, stdout, stderr } = await run(args, { cwd, env: PASSWORDS });
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
  expect(stderr).toMatch(LINE);
  expect(stderr).toContain(said);
}

const SERVE = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];

/** A data folder that a service left, with a host. */
async function setUp(cwd: string): Promise<void> {
  await using muster = await Muster.start({ cwd });
  expect((await report(muster, "first")).status).toBe(200);
  expect(await muster.stop()).toBe(0);
}

describe("beside a running server", () => {
  test("users are administered, and a new password ends the logins with the old one", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    const admin = await muster.admin();
    const added = await run(["user", "add", "eve", "--admin", "--generate", "--data", "data"], { cwd });
    const password = /password {2}(\S+)/.exec(added.stdout)?.[1] ?? "";
    const eve = await muster.client().signIn("eve", password);
    expect((await eve.get("/api/1/admin/users/list")).json).toHaveLength(2);
    const changed = await run(["user", "passwd", "admin", "--generate", "--data", "data"], { cwd });
    expect(changed).toMatchObject({ code: 0, stderr: "" });
    expect((await admin.get("/api/1/status/hosts/list")).status).toBe(401);
    expect((await eve.get("/api/1/status/hosts/list")).status).toBe(200);
    expect(muster.client().signIn("admin", ADMIN_PASSWORD)).rejects.toThrow("401");
    await muster.client().signIn("admin", /password {2}(\S+)/.exec(changed.stdout)?.[1] ?? "");
  });

  test("a level in a host group holds from the next request on, and so does taking it back", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    const admin = await muster.admin();
    await admin.post("/api/1/admin/groups/create", { name: "web servers" });
    const added = await run(["user", "add", "eve", "--generate", "--data", "data"], { cwd });
    const eve = await muster.client().signIn("eve", /password {2}(\S+)/.exec(added.stdout)?.[1] ?? "");
    const rights = async () => (await eve.get("/api/1/session/rights")).json;
    expect(await rights()).toMatchObject({ view: "all", manage: { groups: [] } });
    const change = async (...words: string[]) => {
      const { code, stdout, stderr } = await run(["user", ...words, "--data", "data"], { cwd });
      return [code, stdout.trim(), stderr.trim()];
    };
    expect(await change("grant", "eve", "web servers", "manage")).toEqual([
      0,
      "gave eve the level manage in web servers",
      "",
    ]);
    expect(await change("grants", "eve")).toEqual([0, "web servers\tmanage", ""]);
    expect(await rights()).toMatchObject({ view: { groups: [1] }, manage: { groups: [1] } });
    expect((await change("revoke", "eve", "web servers"))[0]).toBe(0);
    expect(await rights()).toMatchObject({ view: { groups: [] }, manage: { groups: [] } });
  });

  test("a backup is whole while messages come in, and is a Muster of its own once restored", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    let isOver = false;
    let answered = 0;
    const posting = (async () => {
      for (let i = 0; !isOver; i++) {
        const send = () => report(muster, `host-${i}`, { service: "app", collectedUsec: i });
        let reply = await send();
        // Muster may refuse one while the disk is busy; agents send it again.
        for (; reply.status === 503; reply = await send()) await Bun.sleep(50);
        expect(reply.status).toBe(200);
        answered++;
      }
    })();
    await eventually("messages come in", () => answered > 20);
    const before = answered;
    expect(await run(["backup", "copy.db", "--data", "data"], { cwd })).toMatchObject({
      code: 0,
      stderr: "",
    });
    isOver = true;
    await posting;
    const copy = new Database(join(cwd, "copy.db"), { readonly: true });
    expect(copy.query("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    const { hosts, events } = copy
      .query("select (select count(*) from hosts) as hosts, (select count(*) from events) as events")
      .get() as { hosts: number; events: number };
    copy.close();
    expect(hosts).toBeGreaterThanOrEqual(before);
    expect(events).toBe(hosts);

    mkdirSync(join(cwd, "other"), { mode: 0o700 });
    copyFileSync(join(cwd, "data/secret.key"), join(cwd, "other/secret.key"));
    chmodSync(join(cwd, "other/secret.key"), 0o600);
    expect(await run(["restore", "copy.db", "--data", "other"], { cwd })).toMatchObject({
      code: 0,
      stderr: "",
    });
    await using restored = await Muster.start({ cwd, data: "other", env: {} });
    const list = await (await restored.admin()).get("/api/1/admin/hosts/list");
    expect(list.json.totalRecords).toBe(hosts);
    expect((await run(["doctor", "--data", "other"], { cwd })).code).toBe(0);
  });

  test("what needs the folder alone is refused, also a second server", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    expect((await run(["backup", "copy.db", "--data", "data"], { cwd })).code).toBe(0);
    const said = "another Muster is running on the data folder data";
    await expectRefusal(SERVE, cwd, said);
    await expectRefusal(["rotate-key", "--data", "data"], cwd, said);
    await expectRefusal(["restore", "copy.db", "--force", "--data", "data"], cwd, said);
    await muster.kill();
    // Nothing is left to clean up after a kill.
    await using again = await Muster.start({ cwd });
    expect((await report(again, "a")).status).toBe(200);
  });

  test("a health check finds it well, and not when it is gone", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    const listen = ["--listen", `127.0.0.1:${muster.port}`];
    expect(await run(["healthcheck", ...listen], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status":"ok"'),
    });
    await muster.stop();
    await expectRefusal(["healthcheck", ...listen], cwd, "does not answer");
  });

  test("its key is replaced between two runs", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await setUp(cwd);
    const key = readFileSync(join(cwd, "data/secret.key"), "utf8");
    expect(await run(["rotate-key", "--data", "data"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "data/secret.key"), "utf8")).not.toBe(key);
    await using muster = await Muster.start({ cwd, env: {} });
    expect((await report(muster, "second")).status).toBe(200);
    expect((await (await muster.admin()).get("/api/1/admin/hosts/list")).json.totalRecords).toBe(2);
  });
});

test("a password that is typed is not shown, and has to be typed twice", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await setUp(cwd);
  let shown = "";
  const child = Bun.spawn([EXECUTABLE, "user", "passwd", "admin", "--data", "data"], {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: cwd },
    terminal: {
      cols: 200,
      data: (_, bytes) => {
        shown += Buffer.from(bytes).toString();
      },
    },
  });
  await eventually("it asks", () => shown.includes("Password: "));
  child.terminal?.write("wrogn\u007f\u007fng typed\r");
  await eventually("it asks again", () => shown.includes("Password again: "));
  child.terminal?.write("wrong typed\r");
  expect(await child.exited).toBe(0);
  expect(shown).not.toContain("typed");
  await using muster = await Muster.start({ cwd, env: {} });
  await muster.client().signIn("admin", "wrong typed");
});

describe("a start is refused in one line", () => {
  const files = (cwd: string) => join(cwd, "data", "muster.db");

  test("when the database is damaged or no database", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const file = files(folder.path);
    const bytes = readFileSync(file);
    writeFileSync(file, "no database at all".repeat(100));
    await expectRefusal(SERVE, folder.path, "muster.db: it is damaged, or no database at all");
    writeFileSync(file, bytes.fill(0xff, 100, 4096));
    await expectRefusal(SERVE, folder.path, "damaged");
  });

  test("when another program has locked the database", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const other = new Database(files(folder.path));
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    await expectRefusal(SERVE, folder.path, "another program has locked it");
    other.run("ROLLBACK");
    other.close();
  });

  test("when the key is missing or another one, and nothing was written", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const key = join(folder.path, "data/secret.key");
    const [before, right] = [readFileSync(files(folder.path)), readFileSync(key)];
    rmSync(key);
    await expectRefusal(SERVE, folder.path, "secret.key is missing");
    expect(existsSync(key)).toBe(false);
    writeFileSync(key, `${"3".repeat(64)}\n`, { mode: 0o600 });
    await expectRefusal(SERVE, folder.path, "secret.key is not the key of the database");
    expect(readFileSync(files(folder.path)).equals(before)).toBe(true);
    writeFileSync(key, right);
    await using muster = await Muster.start({ cwd: folder.path, env: {} });
    await muster.admin();
  });

  test("when the data folder cannot be written", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    mkdirSync(join(cwd, "data"));
    chmodSync(join(cwd, "data"), 0o555);
    chmodSync(cwd, 0o755);
    // Root may write anywhere: then it is somebody else who tries.
    const isRoot = process.getuid?.() === 0;
    copyFileSync(EXECUTABLE, join(cwd, "muster"));
    chmodSync(join(cwd, "muster"), 0o755);
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const child = Bun.spawnSync([...(isRoot ? asNobody : []), join(cwd, "muster"), ...SERVE], {
      cwd,
      env: { PATH: "/usr/bin:/bin", HOME: cwd },
      stdin: "ignore",
    });
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toMatch(LINE);
    expect(child.stderr.toString()).toContain("the data folder data cannot be used");
  });
});

/** A data folder on a disk that can be filled. */
interface SmallDisk extends Disposable {
  cwd: string;
  /** Runs Muster on it. */
  executable: string;
  fill(pid: number): void;
  free(pid: number): void;
}

/** A file system of its own; null where none may be mounted. */
function tmpfs(): SmallDisk | null {
  const folder = temporaryFolder();
  const cwd = join(folder.path, "disk");
  mkdirSync(cwd);
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", cwd], {
    stderr: "ignore",
  });
  if (mounted.exitCode !== 0) {
    folder.remove();
    return null;
  }
  const ballast = join(cwd, "ballast");
  return {
    cwd,
    executable: EXECUTABLE,
    fill: () => {
      const { bavail, bsize } = statfsSync(cwd);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      Bun.spawnSync(["umount", "-l", cwd]);
      folder.remove();
    },
  };
}

/** Files that must not grow any more: what is left where nothing may be mounted. */
function limitedFiles(): SmallDisk {
  const folder = temporaryFolder();
  const executable = join(folder.path, "run");
  writeFileSync(executable, `#!/bin/bash\ntrap '' XFSZ\nexec ${EXECUTABLE} "$@"\n`, { mode: 0o755 });
  const limit = (pid: number, size: string) => Bun.spawnSync(["prlimit", `--pid=${pid}`, `--fsize=${size}:`]);
  return {
    cwd: folder.path,
    executable,
    fill: (pid) => limit(pid, "4096"),
    free: (pid) => limit(pid, "unlimited"),
    [Symbol.dispose]: folder.remove,
  };
}

describe("a disk that is full", () => {
  test("is answered with 503 while it is, and forgotten once there is space", async () => {
    using disk = tmpfs() ?? limitedFiles();
    await using muster = await Muster.start(disk);
    const admin = await muster.admin();
    expect((await report(muster, "before")).status).toBe(200);
    disk.fill(muster.pid);
    const refused = await eventually("a message finds no space", async () => {
      const reply = await report(muster, "during", { service: "app" });
      return reply.status !== 200 && reply;
    });
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "5"]);
    await eventually(
      "the health check tells",
      async () => (await muster.client().get("/healthz")).status === 503,
    );
    // Long enough for the work in the background to fail, too.
    await eventually("the log tells", () => muster.output.includes("the database cannot be written"));
    expect((await muster.client().get("/")).status).toBe(200);
    disk.free(muster.pid);
    expect((await report(muster, "during", { service: "app" })).status).toBe(200);
    await eventually(
      "the health check is content",
      async () => (await muster.client().get("/healthz")).status === 200,
    );
    expect(muster.output).toContain("the database can be written again");
    const { json } = await admin.get("/api/1/reports/events/list");
    expect(json).toMatchObject({ totalRecords: 1, records: [{ hostname: "during" }] });
    expect(muster.output.match(/the database cannot be written/g)).toHaveLength(1);
    expect(await muster.stop()).toBe(0);
    expect((await run(["doctor", "--data", "data"], { cwd: disk.cwd })).code).toBe(0);
  });

  test("is charged to no host, however long it lasts, and lets people sign in and look", async () => {
    using disk = tmpfs() ?? limitedFiles();
    await using muster = await Muster.start(disk);
    const at = Math.floor(Date.now() / 1000);
    const agents = Array.from({ length: 20 }, (_, i) => `web-${i}`);
    const post = () =>
      Promise.all(agents.map(async (id) => (await muster.report({ id, hostname: id, at, poll: 2 })).status));
    expect(new Set(await post())).toEqual(new Set([200]));
    disk.fill(muster.pid);
    await eventually("messages find no space", async () => (await post()).every((status) => status === 503));
    const since = Date.now();
    // Their deadline is 6 s.
    while (Date.now() - since < 15_000) {
      await post();
      await Bun.sleep(500);
    }
    const signedIn = await muster.admin();
    const list = await signedIn.get("/api/1/status/hosts/list");
    expect(list.json.records.map(({ heartbeat }: { heartbeat: number }) => heartbeat)).toEqual(
      agents.map(() => 1),
    );
    disk.free(muster.pid);
    await eventually(
      "the health check is content without a message",
      async () => (await muster.client().get("/healthz")).status === 200,
    );
    await eventually("the outage is over", async () => {
      await post();
      return muster.output.includes("nothing could be stored for a while");
    });
    expect(new Set(await post())).toEqual(new Set([200]));
    expect((await signedIn.get("/api/1/reports/events/list")).json.totalRecords).toBe(0);
    expect(muster.output).not.toContain("host is down");
  });

  test("neither keeps a server from ending in good order nor from starting again", async () => {
    using disk = tmpfs() ?? limitedFiles();
    const before = await Muster.start(disk);
    expect((await report(before, "before")).status).toBe(200);
    disk.fill(before.pid);
    expect(await before.stop()).toBe(0);
    await using muster = await Muster.start(disk);
    disk.fill(muster.pid);
    await muster.admin();
    disk.free(muster.pid);
    await eventually("messages are taken", async () => (await report(muster, "after")).status === 200);
  });

  test("refuses a start in one line", async () => {
    using disk = tmpfs();
    if (disk) {
      mkdirSync(join(disk.cwd, "data"), { mode: 0o700 });
      disk.fill(0);
      await expectRefusal(SERVE, disk.cwd, "the disk is full");
      disk.free(0);
      await using muster = await Muster.start(disk);
      await muster.admin();
      return;
    }
    using limited = temporaryFolder();
    const command = `trap '' XFSZ; ulimit -S -f 1; exec ${EXECUTABLE} ${SERVE.join(" ")}`;
    const child = Bun.spawnSync(["bash", "-c", command], { cwd: limited.path, stdin: "ignore" });
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toMatch(LINE);
  });
});

const TLS = join(import.meta.dir, "../fixtures/tls");

/** The certificate a server shows, as its fingerprint. */
function certificateOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe("listening", () => {
  test("on several addresses and a unix socket, also one that a killed process left", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    const socket = join(cwd, "muster.sock");
    const start = () => Muster.start({ cwd, listen: `127.0.0.1:0,[::1]:0,unix:${socket}` });
    await using muster = await start();
    const listed = /listen=(\S+)/.exec(muster.output)?.[1]?.split(",") ?? [];
    expect(listed).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^\[::1\]:\d+$/),
      `unix:${socket}`,
    ]);
    const ask = () => fetch("http://muster.test/healthz", { unix: socket });
    for (const address of listed.slice(0, 2))
      expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
    expect((await ask()).status).toBe(200);
    await expectRefusal(
      ["serve", "--data", "other", "--listen", `unix:${socket}`],
      cwd,
      "muster.sock is in use by another process",
    );
    await muster.kill();
    expect(existsSync(socket)).toBe(true);
    await using again = await start();
    expect((await ask()).status).toBe(200);
    expect(await again.stop()).toBe(0);
    expect(existsSync(socket)).toBe(false);
  });

  test("goes on with a renewed certificate on SIGHUP, without cutting an open request", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    const [cert, key] = [join(cwd, "cert.pem"), join(cwd, "key.pem")];
    copyFileSync(join(TLS, "cert.pem"), cert);
    copyFileSync(join(TLS, "key.pem"), key);
    await using muster = await Muster.start({ cwd, args: ["--tls-cert", cert, "--tls-key", key] });
    const before = await certificateOf(muster.port);

    const open = connectTls({ port: muster.port, host: "127.0.0.1", rejectUnauthorized: false });
    let answer = "";
    open.on("data", (chunk) => {
      answer += chunk;
    });
    open.write("GET /healthz HTTP/1.1\r\nHost: muster.test\r\n");
    await eventually(
      "the open request is connected",
      () => open.authorized !== undefined && !open.connecting,
    );

    // A pair that does not fit leaves the old one in use.
    const made = Bun.spawnSync([
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-keyout",
      join(cwd, "new-key.pem"),
      "-out",
      cert,
      "-days",
      "2",
      "-subj",
      "/CN=renewed",
    ]);
    expect(made.exitCode).toBe(0);
    process.kill(muster.pid, "SIGHUP");
    await eventually("it refuses the pair", () => muster.output.includes("cannot be used"));
    expect(await certificateOf(muster.port)).toBe(before);

    copyFileSync(join(cwd, "new-key.pem"), key);
    process.kill(muster.pid, "SIGHUP");
    await eventually(
      "it shows the new certificate",
      async () => (await certificateOf(muster.port)) !== before,
    );
    open.write("\r\n");
    await eventually("the open request is answered", () => answer.includes('"status":"ok"'));
    open.destroy();
    expect((await fetch(`${muster.url}/healthz`, { tls: { rejectUnauthorized: false } })).status).toBe(200);
    expect(await muster.stop()).toBe(0);
  });
});

test("logs are JSON when asked for, and metrics are for this machine", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  expect((await report(muster, "a")).status).toBe(200);
  const metrics = await fetch(`${muster.url}/metrics`);
  expect(await metrics.text()).toContain("\nmuster_messages_total 1\n");
  expect((await fetch(`${muster.url}/metrics`, { headers: { "X-Forwarded-For": "::1" } })).status).toBe(401);
  await muster.stop();

  const child = Bun.spawn([EXECUTABLE, ...SERVE, "--log-format", "json"], {
    cwd: folder.path,
    env: { PATH: "/usr/bin:/bin", HOME: folder.path },
    stdin: "ignore",
    stdout: "pipe",
  });
  const reader = child.stdout.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  child.kill();
  expect(await child.exited).toBe(0);
  expect(JSON.parse(first.split("\n")[0] ?? "")).toMatchObject({
    level: "info",
    message: "muster is listening",
    data: "data",
    version: expect.any(String),
    listen: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  });
});
