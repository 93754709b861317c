/** Programs as channels: their input, and that they cannot outlive their time. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemTimer } from "../../../src/platform/clock.ts";
import { textOf } from "../../docs/markdown.ts";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { HandTimers } from "../../support/hand-timers.ts";
import { channelOf, event, message, NOW, testEgress } from "./support.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
let count = 0;

/** An executable file with this text, beside which it finds the file `out`. */
function program(script: string, mode = 0o755) {
  const path = join(folder.path, `program-${count++}`);
  writeFileSync(path, `#!/bin/sh\nout=${path}.out\n${script}\n`);
  chmodSync(path, mode);
  return { path, out: `${path}.out` };
}

function send(path: string, sent = message(), startTimer = systemTimer) {
  const egress = testEgress({ exec: true, timeLimit: 60_000, startTimer });
  return channelOf("exec", { program: path }, egress).send(sent);
}

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

describe("a program is given", () => {
  test("the message in its environment, and nothing else but a path and a locale", async () => {
    process.env.MUSTER_TEST_SECRET = "must not leak";
    const { path, out } = program('env -0 > "$out"; pwd >> "$out"; echo "$# arguments"');
    const answer = await send(path).finally(() => {
      delete process.env.MUSTER_TEST_SECRET;
    });
    expect(answer).toEqual({ outcome: "sent", detail: "exit code 0: 0 arguments\n" });
    const parts = readFileSync(out, "utf8").split("\0");
    expect(parts.pop()).toBe("/\n");
    const variables = Object.fromEntries(parts.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    // Variables that the shell itself adds.
    for (const name of ["PWD", "OLDPWD", "SHLVL", "_"]) delete variables[name];
    expect(variables).toEqual({
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      MUSTER_ID: message().id,
      MUSTER_KIND: "problem",
      MUSTER_RULE: "Databases",
      MUSTER_TITLE: "mysqld on db-1: connection refused",
      MUSTER_TEXT:
        "2027-01-15 08:59:00 CET  mysqld on db-1: connection refused (Connection)\n\nRule: Databases",
      MUSTER_ACKNOWLEDGE_URL: "",
      MUSTER_URL: "https://muster.example/events/17",
      MUSTER_DATE: String(NOW),
      MUSTER_EVENTS: "1",
      MUSTER_HOST: "db-1",
      MUSTER_HOST_ID: "3",
      MUSTER_SERVICE: "mysqld",
      MUSTER_TYPE: "Connection",
      MUSTER_STATE: "error",
      MUSTER_MESSAGE: "connection refused",
      MUSTER_EVENT_ID: "17",
      MUSTER_KEY: "muster-17-1799999940",
    });
    const described = [...textOf("docs/alerts.md").matchAll(/`(MUSTER_[A-Z_]+)`/g)].map(([, name]) => name);
    for (const name of Object.keys(variables).filter((name) => name.startsWith("MUSTER_")))
      expect(described).toContain(name);
  });

  test("all of it as JSON on its standard input", async () => {
    const { path, out } = program('cat > "$out"');
    await send(path);
    expect(JSON.parse(readFileSync(out, "utf8"))).toMatchObject({
      id: message().id,
      events: [{ host: "db-1", service: "mysqld" }],
    });
  });

  test("hostile texts as they are: there is no shell that reads them", async () => {
    const hostile = "$(touch hacked) `id` ; rm -rf / \"' \u0000 \n () { :; }; x";
    const { path, out } = program('printf %s "$MUSTER_MESSAGE" > "$out"');
    await send(path, message({ events: [event({ message: hostile })] }));
    expect(readFileSync(out, "utf8")).toBe(hostile.replace("\u0000", " "));
  });

  test("texts of any length, as much as a system takes", async () => {
    const { path } = program('printf %s "$MUSTER_TEXT" | wc -c; printf %s "$MUSTER_TITLE" | wc -c');
    const answer = await send(path, message({ text: "x".repeat(3_000_000), title: "y".repeat(3_000_000) }));
    expect(answer).toEqual({ outcome: "sent", detail: "exit code 0: 32768\n32768\n" });
  });

  test("no events, when there are none", async () => {
    const { path } = program('echo "$MUSTER_EVENTS[$MUSTER_HOST]"');
    expect((await send(path, message({ events: [] }))).detail).toBe("exit code 0: 0[]\n");
  });
});

describe("what becomes of it", () => {
  test("an exit code other than 0 is a failure, with what it wrote", async () => {
    const { path } = program('echo "out"; echo "err" >&2; exit 3');
    const { outcome, detail } = await send(path);
    expect([outcome, detail.split(/\s+/).sort()]).toEqual([
      "failed",
      ["", "3:", "code", "err", "exit", "out"],
    ]);
  });

  test("no more than 4 KB of what it writes are kept, and it is not held up", async () => {
    const { path, out } = program('head -c 5000000 /dev/zero | tr "\\0" x; echo done > "$out"');
    const { outcome, detail } = await send(path);
    expect([outcome, detail.length, readFileSync(out, "utf8")]).toEqual([
      "sent",
      "exit code 0: ".length + 4096,
      "done\n",
    ]);
  });

  test("a program that reads nothing is not blocked either", async () => {
    const { path } = program("exit 0");
    expect((await send(path, message({ text: "x".repeat(5_000_000) }))).outcome).toBe("sent");
  });

  test("after its time it is ended with everything that it started, and it is unknown what it did", async () => {
    const { path, out } = program('sleep 300 & echo "$! $$" > "$out"; trap "" TERM INT; sleep 300');
    const timers = new HandTimers();
    const answer = send(path, message(), timers.start);
    await eventually("it is waiting", () => readFileSync(out, "utf8").endsWith("\n"));
    timers.end();
    expect(await answer).toEqual({ outcome: "unknown", detail: "ended after 60 seconds" });
    const pids = readFileSync(out, "utf8").trim().split(" ").map(Number);
    expect(pids).toHaveLength(2);
    await eventually("both have ended", () => pids.every((pid) => !isAlive(pid)));
  });

  test("what it leaves running is ended, and does not hold up its answer", async () => {
    const { path, out } = program('sleep 3000 & echo $! > "$out"; exit 0');
    expect((await send(path)).outcome).toBe("sent");
    const pid = Number(readFileSync(out, "utf8"));
    await eventually("it has ended", () => !isAlive(pid));
  });

  test("a program that is not there, or cannot be started, is refused", async () => {
    expect((await send(join(folder.path, "nothing"))).outcome).toBe("refused");
    expect((await send(program("exit 0", 0o644).path)).outcome).toBe("refused");
    const directory = join(folder.path, "directory");
    mkdirSync(directory);
    expect((await send(directory)).outcome).toBe("refused");
  });

  test("without leave nothing is started", async () => {
    const { path, out } = program('touch "$out"');
    const answer = await channelOf("exec", { program: path }, testEgress()).send();
    expect([answer.outcome, existsSync(out)]).toEqual(["refused", false]);
  });

  test("a path has to be absolute", () => {
    const { kind } = channelOf("exec", {});
    for (const wrong of ["ls", "./ls", "../bin/ls", "~/x"])
      expect(kind.check?.({ program: wrong })?.field).toBe("program");
    expect(kind.check?.({ program: "/bin/ls" })).toBeNull();
  });
});
