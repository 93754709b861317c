/** A disk that is full, while Muster runs and when it starts. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestClient } from "../support/client.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { mountDisk } from "../support/small-disk.ts";
import { expectRefusal, LINE, report, SERVE } from "./serving.ts";
import { EXECUTABLE, eventually, Muster, run, temporaryFolder } from "./support.ts";

/** A data folder on a disk that can be filled. */
interface FullDisk extends Disposable {
  cwd: string;
  /** Runs Muster on it. */
  executable: string;
  fill(pid: number): void;
  free(pid: number): void;
}

/** A file system of its own; null where none may be mounted. */
function tmpfs(): FullDisk | null {
  const folder = temporaryFolder();
  const cwd = join(folder.path, "disk");
  const disk = mountDisk(cwd, 8192);
  if (disk === null) {
    folder.remove();
    return null;
  }
  return {
    cwd,
    executable: EXECUTABLE,
    fill: disk.fill,
    free: disk.free,
    [Symbol.dispose]: () => {
      disk[Symbol.dispose]();
      folder.remove();
    },
  };
}

/** Files that must not grow any more, for machines where nothing may be mounted. */
function limitedFiles(): FullDisk {
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
      Promise.all(agents.map(async (id) => (await muster.report({ id, hostname: id, at, poll: 4 })).status));
    expect(new Set(await post())).toEqual(new Set([200]));
    disk.fill(muster.pid);
    await eventually("messages find no space", async () => (await post()).every((status) => status === 503));
    const since = Date.now();
    // Their deadline is 12 s.
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

  test("lets no setting take effect that could not be stored, neither at once nor after a restart", async () => {
    using disk = tmpfs() ?? limitedFiles();
    const before = await Muster.start(disk);
    const admin = await before.admin();
    const settings = async (client: TestClient) =>
      (await client.get("/api/1/admin/settings/get")).json.settings;
    const answers = (muster: Muster, password: string) =>
      muster
        .client()
        .report({ id: "web", hostname: "web" }, password)
        .then(({ status }) => status);
    disk.fill(before.pid);
    // The first changes may still find space in the log.
    let [expected, kept, attempts] = [await settings(admin), COLLECTOR_PASSWORD, 0];
    const refused = await eventually("a change finds no space", async () => {
      const password = `new-${attempts++}`;
      const change = { collectorpassword: password, sessionidle: attempts, timezone: "Asia/Tokyo" };
      const { status } = await admin.post("/api/1/admin/settings/update", change);
      if (status === 503) return password;
      expect(status).toBe(200);
      [expected, kept] = [await settings(admin), password];
      return null;
    });
    expect(await settings(admin)).toEqual(expected);
    expect(await answers(before, refused)).toBe(401);
    expect(await answers(before, kept)).not.toBe(401);
    disk.free(before.pid);
    expect([await answers(before, kept), await answers(before, refused)]).toEqual([200, 401]);
    expect(await before.stop()).toBe(0);
    await using muster = await Muster.start({ ...disk, env: {} });
    expect(await settings(await muster.admin())).toEqual(expected);
    expect([await answers(muster, kept), await answers(muster, refused)]).toEqual([200, 401]);
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
