/** A run of tests that is killed or broken off leaves no program behind that its tests started. */
import { describe, expect } from "bun:test";
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMIT } from "../../scripts/test-limit.ts";
import { eventually, temporaryFolder } from "../e2e/support.ts";
import { needing } from "../support/programs.ts";

const { test } = needing("chromium", "haproxy", "monit", "nginx", "postgres");

const ROOT = join(import.meta.dir, "../..");

/** What the tests of the run say when all their programs run. */
const READY = "all of them run";

/** A test that starts every kind of program, each as the tests of the project do. */
const STARTS_ALL = `
import { test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "${ROOT}/scripts/test-tools.ts";
import { launchBrowser } from "${ROOT}/test/e2e/browser.ts";
import { Sandbox } from "${ROOT}/test/e2e/documented.ts";
import { RealAgent } from "${ROOT}/test/e2e/real-agent.ts";
import { eventually, freePort, Muster, temporaryFolder } from "${ROOT}/test/e2e/support.ts";
import { endGroupWithTests } from "${ROOT}/test/support/groups.ts";
import { PostgresServer } from "${ROOT}/test/support/postgres-server.ts";

test("starts everything", async () => {
  const cwd = temporaryFolder().path;
  const server = await PostgresServer.start(undefined, process.env.TMPDIR);
  const [muster] = await Promise.all([Muster.start({ cwd }), launchBrowser()]);
  new RealAgent({ folder: join(cwd, "agent"), collectorUrl: muster.url + "/collector", checks: "" }).start();
  const [first, second] = [freePort(), freePort()];
  const balancer = join(cwd, "haproxy.cfg");
  writeFileSync(balancer, "defaults\\n mode http\\n timeout connect 5s\\n timeout client 5s\\n timeout server 5s\\n" +
    "frontend f\\n bind 127.0.0.1:" + first + "\\n");
  Bun.spawn([pathOf("haproxy"), "-db", "-f", balancer], { stdout: "ignore", stderr: "ignore" });
  const proxy = join(cwd, "nginx.conf");
  writeFileSync(proxy, "daemon off; pid nginx.pid; events {} http { access_log off; client_body_temp_path b; " +
    "proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s; " +
    "server { listen 127.0.0.1:" + second + "; } }");
  const nginx = ["setsid", pathOf("nginx"), "-p", cwd, "-e", "error.log", "-c", proxy];
  endGroupWithTests(Bun.spawn(nginx, { cwd }));
  for (const port of [first, second])
    await eventually("it answers", () => fetch("http://127.0.0.1:" + port).then(() => true));
  const sandbox = new Sandbox();
  const told = join(sandbox.path, "told");
  void sandbox.run("muster serve > told & sleep 3600 & wait").catch(() => undefined);
  await eventually("it listens", () => Bun.file(told).text().then((text) => text.includes("listening")));
  console.log("${READY}");
  if (process.env.BREAKS_OFF) throw new Error("this test fails");
  await Bun.sleep(3_600_000);
});
test("a test that is not reached when the run breaks off", () => Bun.sleep(3_600_000));
`;

/** Processes whose command or folder is within this one, by the beginning of their commands. */
function programsIn(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        const isWithin = command.includes(folder) || readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
        return isWithin && command !== "" ? [command.slice(0, 200)] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

const expectNoneIn = (folder: string) =>
  eventually("all have ended", () => {
    const left = programsIn(folder);
    if (left.length > 0) throw new Error(left.join("\n"));
    return true;
  });

/** Starts a command that runs the test, in a temporary folder of its own; resolves when all programs run. */
async function startRun(folder: string, command: (file: string) => string[], env = {}) {
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o755);
  const file = join(folder, "all.test.ts");
  writeFileSync(file, STARTS_ALL);
  const log = join(folder, "log");
  const child = Bun.spawn(["sh", "-c", 'exec "$@" > "$LOG" 2>&1', "sh", ...command(file)], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder, LOG: log, ...env },
    stdin: "ignore",
  });
  await eventually("all programs run", () => {
    const said = readFileSync(log, "utf8");
    if (said.includes(READY)) return true;
    throw new Error(said);
  });
  return child;
}

const bunTest = (file: string) => [process.execPath, "test", `--timeout=${TEST_LIMIT}`, "--bail", file];

describe("no program is left of a run", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const)
    test(`whose runner gets ${signal}`, async () => {
      using folder = temporaryFolder();
      const runner = (file: string) => [
        process.execPath,
        "-e",
        `import { runStep } from "${ROOT}/scripts/test-run.ts";
        const command = ${JSON.stringify(bunTest(file))};
        command.push("--reporter=dots");
        await runStep({ name: "all", command: ["sh", "-c", 'exec "$@" > "$LOG" 2>&1', "sh", ...command], reports: false }, {});`,
      ];
      const child = await startRun(folder.path, runner);
      const kinds = ["muster serve", "chrom", "haproxy", "monit", "nginx: worker", "postgres", "sleep"];
      const running = programsIn(folder.path).join("\n");
      for (const kind of kinds) expect(running).toContain(kind);
      child.kill(signal);
      await child.exited;
      await expectNoneIn(folder.path);
    });

  test("that breaks off at the first failure", async () => {
    using folder = temporaryFolder();
    const child = await startRun(folder.path, bunTest, { BREAKS_OFF: "1" });
    expect(await child.exited).toBe(1);
    await expectNoneIn(folder.path);
  });
});
