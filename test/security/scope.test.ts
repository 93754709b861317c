/**
 * What a user with levels in some groups is told equals what the same user is told by a Muster without the
 * hosts that are hidden from them. Every operation is called, with the arguments that its schema allows.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { METHODS, type Operation } from "../../src/platform/http/operation.ts";
import type { Level } from "../../src/platform/http/scope.ts";
import { legacyOperations } from "../../src/publishing/legacy-api/legacy-api.routes.ts";
import { argumentsSchema, type Schema } from "../../src/publishing/openapi/schemas.ts";
import { examples, type Populated, populated, send } from "../publishing/openapi/examples.ts";
import { type AgentXml, filesystemXml, processXml, systemXml } from "../support/agent-messages.ts";
import { TestApp, USER_PASSWORD } from "../support/app.ts";
import type { Fields, Reply, TestClient } from "../support/client.ts";
import { withKeptMoments } from "../support/kept-moments.ts";
import { notifying } from "../support/rules.ts";
import {
  EMPTY,
  EVERYTHING,
  fieldsOf,
  HOSTS,
  labelOf,
  MEMBERS,
  RACK,
  SECRET,
  seenBy,
  THINGS,
} from "./naming-things.ts";

/** Ids to try: more than there are of anything. */
const IDS = [1, 2, 3, 4, 5, 7, 9, 11, 15];
/** What is set last stays: agents are asked at their address, and not at a name that would have to be looked up. */
const WORDS = ["web", "hidden-4", "secret-service", "secret", "a", ""];

/** Who they are: their level by group. */
const PEOPLE: Readonly<Record<string, Readonly<Record<number, Level>>>> = {
  "who views a group": { [RACK]: "view" },
  "who manages one group and views another": { [RACK]: "manage", [SECRET]: "view" },
  "who operates a group": { [SECRET]: "operate", [EMPTY]: "view" },
  "who was granted nothing": {},
};

/**
 * Hosts 3 to 5 beside those of the examples: 3 is in two groups, 4 in the secret one, 5 in none. Nothing listens where their
 * agents could be reached, so an action fails at once.
 */
async function moreHosts({ app, admin }: Populated): Promise<void> {
  const groups: Readonly<Record<number, string[]>> = { 3: ["rack", "secret"], 4: ["secret"], 5: [] };
  for (const [id, hostGroups] of Object.entries(groups)) {
    const hostname = `${id === "3" ? "shared" : "hidden"}-${id}`;
    const services = [
      { name: hostname, type: 5, body: systemXml() },
      { name: `secret-service-${id}`, type: 3, status: 512, body: processXml() },
      { name: "rootfs", type: 0, body: filesystemXml() },
    ];
    const incarnation = app.clock.now() - 3600;
    const serviceGroups = { [`secret-group-${id}`]: ["rootfs"] };
    const message = { id: `agent-${id}`, hostname, httpd: { port: 1 }, hostGroups, incarnation };
    const report = (event: AgentXml["event"] = null) =>
      app.report({ ...message, services, serviceGroups, at: app.clock.now(), event }, "127.0.0.1");
    await report();
    app.pass(30);
    for (const service of [`secret-service-${id}`, "rootfs"])
      await report({ service, message: `failed ${id}` });
  }
  for (const { id } of app.rows<{ id: number }>("select id from events where host_id >= 3 and active = true"))
    await admin.post("/api/1/problems/acknowledge", { id, note: "on it" });
  for (const filter of [
    { hosts: [4] },
    { hosts: [1, 4] },
    { hostgroups: [SECRET] },
    { hosts: [3] },
    { rules: [1] },
  ])
    await admin.post("/api/1/mutes/create", { filter, minutes: 90, note: JSON.stringify(filter) });
  const schedule = { kind: "once", from: app.clock.now() + 60, to: app.clock.now() + 3600 };
  for (const filter of [
    { hosts: [2] },
    { hosts: [4] },
    { hostgroups: [RACK] },
    { hostgroups: [RACK], hosts: [1, 4] },
  ])
    await admin.post("/api/1/admin/maintenance/create", { filter, schedule, name: JSON.stringify(filter) });
  for (const filter of [
    { hostgroups: [RACK] },
    { hostgroups: [RACK, SECRET] },
    { hostgroups: [RACK], hosts: [1, 4] },
  ]) {
    const about = { name: JSON.stringify(filter), filter };
    await admin.post("/api/1/admin/rules/create", { ...about, ...notifying(1) });
    await admin.post("/api/1/limits/create", { ...about, statistics: [1], warning: 1 });
  }
  for (const [hostid, causehostid] of [
    [3, 1],
    [3, 4],
    [4, 1],
    [5, 4],
  ] as const)
    await admin.post("/api/1/admin/dependencies/create", {
      dependent: { host: hostid },
      cause: { host: causehostid },
    });
  await admin.post("/api/1/admin/statuspages/create", { title: "Secret", hostgroup: SECRET, slug: "secret" });
  await admin.post("/api/1/admin/tags/add", { hosts: [3, 4], tags: ["hidden", "rack=a"] });
  await admin.post("/api/1/admin/tags/add", { hosts: [2, 5], tags: ["secret"] });
  app.db.$client.run(`insert into forecasts (statistic_id, host_id, calculated_at, "usage", growth, full_at, earliest)
    select s.id, v.host_id, 0, 90, 1, 2000000000 + s.id, 1 from statistics s join services v on v.id = s.service_id
    where s.type = 18`);
  app.muster.groupCounts.step();
}

/** Things that name hosts by what they are called, whether they are visible or not; none may tell of a hidden host. */
async function namingThings(
  { app, admin }: Populated,
  levels: Readonly<Record<number, Level>>,
): Promise<void> {
  for (const { path, table, things } of THINGS(app))
    for (const [i, thing] of things.entries()) {
      const args = seenBy(thing, levels);
      const create = (fields: Fields) => admin.post(`/api/1${path}`, { ...fields, ...labelOf(path, i) });
      const reply = await create(args ?? fieldsOf(thing));
      expect([path, reply.status, reply.json?.error]).toEqual([path, 200, undefined]);
      if (!args) app.db.$client.run(`delete from ${table} where id = ${reply.json.id}`);
    }
}

async function grant({ app, admin }: Populated, levels: Readonly<Record<number, Level>>): Promise<void> {
  const of = (level: Level) => Object.keys(levels).filter((group) => levels[Number(group)] === level);
  const clients = { view: of("view"), operate: of("operate"), manage: of("manage") };
  const before = app.rows("select * from grants").length;
  const set = await admin.post("/api/1/admin/grants/set", { uname: "user", restricted: true, ...clients });
  expect([set.status, app.rows("select * from grants").length - before]).toEqual([
    200,
    Object.keys(levels).length,
  ]);
}

/** Removes what no visible host has to do with: the hosts themselves, groups and names without any left. */
function withoutHidden({ app }: Populated, levels: Readonly<Record<number, Level>>): void {
  const seen = new Set(Object.keys(levels).flatMap((group) => MEMBERS[Number(group)] ?? []));
  app.deleteHosts(HOSTS.filter((id) => !seen.has(id)));
  for (const group of [RACK, EMPTY, SECRET])
    if (!(group in levels) && !MEMBERS[group]?.some((id) => seen.has(id))) app.muster.groups.delete(group);
  const isHidden = (ids: number[] | undefined) => ids?.every((id) => !seen.has(id)) ?? false;
  for (const { id, filter } of app.rows<{ id: number; filter: string }>(
    "select id, filter from maintenance_windows",
  )) {
    const { hosts } = JSON.parse(filter);
    if (isHidden(hosts)) app.db.$client.run(`delete from maintenance_windows where id = ${id}`);
  }
  app.db.$client.run(`delete from names where id not in (select name_id from services union all select name_id from events
    union all select name_id from downtime_intervals)`);
}

/** @param seen what those see for whom things are made that name hosts; they are otherwise made for everybody */
async function world(levels: Readonly<Record<number, Level>>, seen = EVERYTHING): Promise<Populated> {
  const made = await withKeptMoments((options) => populated(1, options));
  await moreHosts(made);
  await namingThings(made, seen);
  await grant(made, levels);
  return made;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Values of an argument that its schema allows, or that hit something hidden; of an object, of one field each. */
function valuesFor({ type, items, enum: choices, anyOf, oneOf, properties }: Schema): Fields[string][] {
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return alternatives.flatMap(valuesFor);
  if (properties)
    return Object.entries(properties).flatMap(([name, schema]) =>
      valuesFor(schema).map((value) => ({ [name]: value })),
    );
  if (choices) return choices.filter((choice) => choice !== null) as Fields[string][];
  if (type === "array" && typeof items === "object")
    return [
      ...valuesFor(items).map((value) => (isObject(value) ? [value] : value)),
      [1, 4],
      [2, 3],
      ["hidden-*"],
    ];
  if (type === "boolean") return [true, false];
  return type === "integer" || type === "number" ? IDS : WORDS;
}

function argumentSets(operation: Operation, example: Fields): Fields[] {
  const { properties = {}, required = [] } = argumentsSchema(operation);
  const variants = Object.entries(properties).flatMap(([name, schema]) =>
    valuesFor(schema).flatMap((value): Fields[] => [
      { ...example, [name]: isObject(value) ? { ...(example[name] ?? {}), ...value } : value },
      ...(required.length === 0 ? [{ [name]: value }] : []),
    ]),
  );
  const everyVariant = [example, {}, ...variants];
  return [...new Map(everyVariant.map((args) => [JSON.stringify(args), args])).values()];
}

/** Tokens and codes, ids and keys, secrets of channels, and passwords of collector keys and of agents. */
const SECRETS =
  /(?:muster|enrol)_[\w-]+|[0-9a-f]{16,}(?:\.[0-9a-f]+)?|secret=\w+|"secret":"\w+"|[\w-]{32}(?=[@"\n\\])|allow muster:[\w-]+/g;

/** What the two cannot have in common. */
const withoutRandom = (text: string) => text.replace(SECRETS, "RANDOM");

function told({ status, text, headers }: Reply) {
  const etag = /RANDOM/.test(withoutRandom(text)) ? null : headers.get("ETag");
  return { status, text: withoutRandom(text), etag };
}

/** Sends the same to both, and compares. @returns whether they said that it is not allowed */
type Both = (
  what: string,
  ask: (populated: Populated, client: TestClient) => Promise<Reply>,
) => Promise<boolean>;

interface Pair {
  whole: Populated;
  without: Populated;
}

async function both(pair: Pair): Promise<Both> {
  const clients = await Promise.all(
    [pair.whole, pair.without].map(({ app }) => app.signedIn("user", USER_PASSWORD)),
  );
  const [first, second] = clients as [TestClient, TestClient];
  return async (title, ask) => {
    const reply = await ask(pair.whole, first);
    expect({ what: title, ...told(reply) }).toEqual({
      what: title,
      ...told(await ask(pair.without, second)),
    });
    return reply.status === 403 && reply.json?.code !== "token.session";
  };
}

const MINIMUM_OF_CALLS = 500;
/** Of the sets of arguments, every so many are also tried about a moment: each takes some milliseconds. */
const EVERY = 4;

/**
 * These are about the caller's own account and have nothing to do with hosts, or show what the token of a wall
 * shows, no matter who looks at it.
 */
const OF_ACCOUNT = /^\/(login|tokens\/|session\/(?!user|rights)|admin\/users\/|openapi|wall\/|enrol\/)/;
const operations = new TestApp().operations.filter(({ path }) => !OF_ACCOUNT.test(path));
for (const [who, levels] of Object.entries(PEOPLE))
  describe(`a user ${who} is told the same as if the hidden hosts did not exist:`, () => {
    let pair: Pair;
    let ask: Both;
    let calls = 0;
    const compared = new Set<Operation>();
    beforeAll(async () => {
      pair = { whole: await world(levels), without: await world(levels, levels) };
      withoutHidden(pair.without, levels);
      ask = await both(pair);
    });

    /** Not if only some of the tests were chosen. */
    afterAll(() => {
      if (compared.size === operations.length) expect(calls).toBeGreaterThan(MINIMUM_OF_CALLS);
    });

    for (const operation of operations)
      test(operation.path, async () => {
        compared.add(operation);
        const method = METHODS[operation.kind].at(-1) ?? "GET";
        const call = (args: Fields) =>
          ask(`${operation.path} ${JSON.stringify(args)}`, (_, client) =>
            send(client, method, operation.path, args),
          );
        const isRefused = await ask(`${operation.path} example`, (populace, client) =>
          send(client, method, operation.path, examples(populace)[operation.path] ?? {}),
        );
        if (isRefused && operation.access === "admin") return;
        for (const args of argumentSets(operation, examples(pair.whole)[operation.path] ?? {})) {
          await call(args);
          calls++;
        }
      });

    for (const operation of operations.filter(({ past }) => past))
      test(`${operation.path}, about a moment`, async () => {
        const { path, kind } = operation;
        const method = METHODS[kind].at(-1) ?? "GET";
        const at = pair.whole.app.clock.now() - 1;
        const sets = argumentSets(operation, examples(pair.whole)[path] ?? {});
        for (const args of sets.filter((_, i) => i % EVERY === 0)) {
          await ask(`${path} ${JSON.stringify(args)} at ${at}`, (_, client) =>
            send(client, method, path, { ...args, at }),
          );
          calls++;
        }
      });

    test("the maps, lists and pages of the legacy API", async () => {
      for (const { path, kind } of legacyOperations(pair.whole.app.muster.queries, operations)) {
        if (!METHODS[kind].includes("GET") || /session|logout|login/.test(path)) continue;
        for (const args of [{}, { id: 1 }, { id: 4 }, { hostid: 4 }, { hostgroupid: 3 }])
          await ask(`legacy ${path}`, (_, client) => client.get(path, args));
      }
    });

    test("metrics of hosts", async () => {
      for (const args of [
        {},
        ...WORDS.flatMap((word) => [{ host: word }, { hostgroup: word }, { service: word }]),
      ])
        await ask("metrics", (_, client) => client.get("/metrics/fleet", args));
    });
  });
