import { describe, expect, test } from "bun:test";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import { type AgentXml, agentXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { eventsAfter, snapshot } from "../../support/ledger.ts";

appOfEachTest();

function poison(app: TestApp, action: "ABORT" | "ROLLBACK" | "FAIL"): void {
  app.db.$client.run(
    `create trigger poison before insert on hosts when new.hostname = 'poison' begin select raise(${action}, 'poisoned'); end`,
  );
}

/** Resolves as soon as a message waits in the queue. Call it before the message is sent. */
function nextQueued({ queue }: TestApp): Promise<void> {
  const add = queue.add.bind(queue);
  return new Promise((resolve) => {
    queue.add = (post) => {
      const stored = add(post);
      queue.add = add;
      resolve();
      return stored;
    };
  });
}

/** Puts a message into the queue at once, as the collector does when it has read it. */
const post = (app: TestApp, message: AgentXml) =>
  app.queue.add({
    message: parseAgentMessage(Buffer.from(agentXml(message))),
    receivedAt: app.clock.now(),
    source: "198.51.100.7",
  });

for (const action of ["ABORT", "FAIL", "ROLLBACK"] as const)
  test(`a message that the database refuses (${action}) does not affect its neighbours`, async () => {
    poison(app, action);
    const replies = await Promise.all([
      app.report({ id: "a", hostname: "before" }),
      app.report({ id: "b", hostname: "poison" }),
      app.report({ id: "c", hostname: "after", services: [{ name: "web" }], event: { service: "web" } }),
    ]);
    expect(replies.map((reply) => reply.status)).toEqual([200, 500, 200]);
    expect(app.rows("select hostname as h from hosts order by h")).toEqual([{ h: "after" }, { h: "before" }]);
    expect(eventsAfter(app, 0)).toHaveLength(1);
    expect(app.logged.some((line) => line.startsWith("error message could not be stored agent=b"))).toBe(
      true,
    );
  });

test("the cache forgets what a rolled back flush read of a host", async () => {
  poison(app, "ABORT");
  const message = { id: "a", hostname: "good", services: [{ name: "web" }] };
  await Promise.all([app.report(message), app.report({ id: "b", hostname: "poison" })]);
  await app.report(message);
  app.hostCache.forgetAll();
  await app.report(message);
  expect(app.rows("select id from hosts")).toHaveLength(1);
  expect(app.rows("select id from services")).toHaveLength(1);
});

test("the refused sender learns no detail of the database", async () => {
  poison(app, "ABORT");
  const reply = await app.report({ hostname: "poison" });
  expect(reply.status).toBe(500);
  expect(await reply.text()).not.toContain("poisoned");
});

test("several messages of one agent in one flush are taken in their order", async () => {
  const states = [1, 0, 1];
  const replies = await Promise.all(
    states.map((state, collectedUsec) =>
      app.report({
        services: [{ name: "web", status: state * 512 }],
        event: { service: "web", state, collectedUsec },
      }),
    ),
  );
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200]);
  expect(eventsAfter(app, 0)).toEqual(["error 512 web @0", "success 512 web @0", "error 512 web @0"]);
  expect(app.rows("select led from services")).toEqual([{ led: 0 }]);
});

test("as many messages as one commit takes are stored before the turn that brings them ends", async () => {
  const stored = Array.from({ length: 600 }, (_, i) => post(app, { id: `agent-${i}` }));
  expect(app.rows("select count(*) as n from hosts")).toEqual([{ n: 512 }]);
  await Promise.all(stored);
  expect(app.rows("select count(*) as n from hosts")).toEqual([{ n: 600 }]);
});

test("a full queue answers 503 with Retry-After at once, and stores what it took", async () => {
  const app = new TestApp({ queueLimit: 2 });
  const replies = await Promise.all(["a", "b", "c", "d"].map((id) => app.report({ id })));
  expect(replies.map((reply) => reply.status).sort()).toEqual([200, 200, 503, 503]);
  const refused = replies.filter((reply) => reply.status === 503);
  expect(refused.map((reply) => reply.headers.get("Retry-After"))).toEqual(["5", "5"]);
  expect(app.rows("select id from hosts")).toHaveLength(2);
  expect((await app.report({ id: "later" })).status).toBe(200);
});

test("a message that waited longer than its agent does is answered 503 and not stored", async () => {
  const queued = nextQueued(app);
  const late = app.report({ id: "late" });
  await queued;
  app.clock.step(4);
  const reply = await late;
  expect(reply.status).toBe(503);
  expect(app.rows("select id from hosts")).toEqual([]);
});

test("messages that waited too long are refused at once, and the next one is stored with the same turn", async () => {
  const status = (error: unknown) => (error as { status: number }).status;
  // A commit takes a few of them, as they have so many services.
  const services = Array.from({ length: 50 }, (_, i) => ({ name: `service ${i}` }));
  const late = Array.from({ length: 100 }, (_, i) => post(app, { id: `late-${i}`, services }).catch(status));
  app.clock.step(4);
  const stored = post(app, { id: "new" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(app.rows("select agent_id as id from hosts")).toEqual([{ id: "new" }]);
  await stored;
  expect(new Set(await Promise.all(late))).toEqual(new Set([503]));
});

test("a message is answered only after it is stored", async () => {
  const queued = nextQueued(app);
  let answered = false;
  const pending = app.report({}).then((reply) => {
    answered = true;
    return reply;
  });
  await queued;
  expect(answered).toBe(false);
  app.queue.drain();
  expect(app.rows("select id from hosts")).toHaveLength(1);
  expect((await pending).status).toBe(200);
});

test("a busy queue does not count as refusing the agent", async () => {
  const app = new TestApp({ queueLimit: 0 });
  expect((await app.report({})).status).toBe(503);
  expect(app.muster.rejectedMessages.list()).toEqual([]);
});

test("dropping the cache between any two messages leaves the same rows", async () => {
  const story = async (forget: boolean) => {
    const app = new TestApp();
    const states = [0, 512, 512, 0, 2, 0, 0, 0, 512, 0];
    for (const [i, status] of states.entries()) {
      if (forget) app.hostCache.forgetAll();
      const services = [{ name: "web", status }, { name: `s${i % 3}` }];
      const event = i === 1 || i === 8 ? { service: "web" } : null;
      await app.report({
        at: app.clock.now(),
        incarnation: 1_767_600_000,
        services,
        event,
        hostGroups: [`g${i % 2}`],
      });
      app.pass(i === 5 ? 120 : 30);
    }
    return snapshot(app);
  };
  expect(await story(true)).toEqual(await story(false));
});

test("a long queue is stored in parts, and each part is answered before the next", async () => {
  const stored = () => app.rows("select id from hosts").length;
  const answers = Array.from({ length: 300 }, (_, i) => post(app, { id: `agent-${i}` }));
  await Promise.any(answers);
  expect(stored()).toBe(256);
  await Promise.all(answers);
  expect(stored()).toBe(300);
});

test("a full queue is reported before the body is read", async () => {
  const app = new TestApp({ queueLimit: 0 });
  expect((await app.report("no XML")).status).toBe(503);
});

test("a host is judged as of the oldest message that waits", async () => {
  await app.report({ id: "a" });
  const heartbeat = () => app.rows<{ heartbeat: number }>("select heartbeat from hosts")[0]?.heartbeat;
  app.pass(90);
  const queued = nextQueued(app);
  const waiting = app.report({ id: "a" });
  await queued;
  const oldest = app.queue.oldestReceipt;
  expect(oldest).toBe(app.clock.now());
  app.clock.step(2);
  app.heartbeat.tick(oldest ?? undefined);
  expect(heartbeat()).toBe(1);
  app.heartbeat.tick();
  expect(heartbeat()).toBe(0);
  expect((await waiting).status).toBe(200);
  expect(app.queue.oldestReceipt).toBeNull();
  expect(heartbeat()).toBe(1);
});

describe("messages that come in one turn of the event loop after the other", () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

  test("are committed together", async () => {
    const first = post(app, { id: "a" });
    await nextTurn();
    const second = post(app, { id: "b" });
    await first;
    expect(app.rows("select id from hosts")).toHaveLength(2);
    await second;
  });

  test("but the first does not wait for long", async () => {
    let isAnswered = false;
    const first = post(app, { id: "0" }).then(() => {
      isAnswered = true;
    });
    const others: Promise<void>[] = [];
    for (let turn = 1; turn <= 10 && !isAnswered; turn++) {
      others.push(post(app, { id: String(turn) }));
      if (turn === 3) app.clock.step(1);
      await nextTurn();
    }
    expect(isAnswered).toBe(true);
    expect(others.length).toBeLessThan(10);
    await Promise.all([first, ...others]);
  });
});

test("messages with many services are stored a few at a time", async () => {
  const services = Array.from({ length: 600 }, (_, i) => ({ name: `n${i}` }));
  const stored: number[] = [];
  const sent = ["a", "b", "c"].map(async (id) => {
    const bytes = Buffer.from(agentXml({ id, services }));
    const post = { message: parseAgentMessage(bytes), receivedAt: app.clock.now(), source: "198.51.100.7" };
    await app.queue.add(post);
    stored.push(app.rows("select id from hosts").length);
  });
  await Promise.all(sent);
  // Each is answered before the next one is written.
  expect(stored).toEqual([1, 2, 3]);
});
