/** What an administrator does beside a running server, and its output. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { expectRefusal, report, SERVE, setUp } from "./serving.ts";
import { EXECUTABLE, eventually, Muster, run, temporaryFolder } from "./support.ts";

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

  test("a level in a host group takes effect with the next request, and so does revoking it", async () => {
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
      "granted eve the level manage in web servers",
      "",
    ]);
    expect(await change("grants", "eve")).toEqual([0, "web servers\tmanage", ""]);
    expect(await rights()).toMatchObject({ view: { groups: [1] }, manage: { groups: [1] } });
    expect((await change("revoke", "eve", "web servers"))[0]).toBe(0);
    expect(await rights()).toMatchObject({ view: { groups: [] }, manage: { groups: [] } });
  });

  test("a backup is complete while messages come in, and restores to a working Muster", async () => {
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

  test("a second server that finds the same database through a link is refused", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await using muster = await Muster.start({ cwd });
    for (const name of ["linked", "linked-too"]) {
      mkdirSync(join(cwd, name), { mode: 0o700 });
      for (const file of ["muster.db", "secret.key"])
        symlinkSync(join(cwd, "data", file), join(cwd, name, file));
    }
    symlinkSync(join(cwd, "data"), join(cwd, "linked-folder"));
    for (const data of ["linked", "linked-folder"])
      for (const command of [["serve", "--listen", "127.0.0.1:0"], ["rotate-key"]])
        await expectRefusal(
          [...command, "--data", data],
          cwd,
          "another Muster is running on the data folder",
        );
    expect((await report(muster, "stays")).status).toBe(200);
    expect(await muster.stop()).toBe(0);
    // Nor do two links to it make two databases of it.
    await using behindLink = await Muster.start({ cwd, data: "linked", env: {} });
    for (const data of ["data", "linked-too"])
      await expectRefusal(
        ["serve", "--data", data, "--listen", "127.0.0.1:0"],
        cwd,
        "another Muster is running",
      );
    const list = await (await behindLink.admin()).get("/api/1/status/hosts/list");
    expect(list.json.records).toMatchObject([{ hostname: "stays" }]);
    expect(await behindLink.stop()).toBe(0);
  });

  test("signals without a meaning do not end it", async () => {
    using folder = temporaryFolder();
    await using muster = await Muster.start({ cwd: folder.path });
    for (const signal of ["SIGUSR1", "SIGUSR2"]) {
      process.kill(muster.pid, signal);
      expect((await report(muster, `after-${signal}`)).status).toBe(200);
    }
    expect(await muster.stop()).toBe(0);
  });

  test("a health check succeeds while it runs, and fails when it is gone", async () => {
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

/** The process that a process started, and that has `text` among its arguments. */
function childOf(pid: number, text: string): number | undefined {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((each) => {
      try {
        const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1];
        return Number(parent) === pid && readFileSync(`/proc/${each}/cmdline`, "utf8").includes(text);
      } catch {
        // It ended meanwhile.
        return false;
      }
    });
}

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "a backup that ends by %s leaves nothing",
  async (signal) => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    await setUp(cwd);
    const target = join(cwd, "target");
    mkdirSync(target);
    // Writing to a pipe that no one reads takes forever, as long as the file of a large database takes. The shell becomes
    // the backup, so that it knows the number in the name.
    const backup = Bun.spawn(
      [
        "sh",
        "-c",
        'mkfifo "$1.$$.partial" && exec "$0" backup "$1" --data data',
        EXECUTABLE,
        join(target, "copy.db"),
      ],
      { cwd, env: { PATH: "/usr/bin:/bin", HOME: cwd }, stdio: ["ignore", "ignore", "ignore"] },
    );
    const partial = join(target, `copy.db.${backup.pid}.partial`);
    // Only what removes the file names the journal, too: `mkfifo` was a child with the name of the file.
    await eventually("the backup has begun", () => childOf(backup.pid, `${partial}-journal`));
    backup.kill(signal);
    await backup.exited;
    expect(backup.signalCode).toBe(signal);
    await eventually("what it began is removed", () => readdirSync(target).length === 0);
  },
);

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
