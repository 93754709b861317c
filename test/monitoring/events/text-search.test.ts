/** Events are found by words of their message, host and service. */
import { expect, test } from "bun:test";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

const LIST = "/api/1/reports/events/list";

/** Events 1 to 7, ten seconds apart. */
const STORY: readonly [host: string, service: string, message: string][] = [
  ["web1.example.com", "nginx", "failed protocol test [HTTP] at [10.0.0.5]:80 -- status 502"],
  ["web1.example.com", "nginx", "connection succeeded to [10.0.0.5]:80"],
  ["web2.example.com", "data disk", "space usage 92.5% matches resource limit [space usage > 90%]"],
  ["db.example.com", "sda1", "Mount point is gone: Gerät ÄRGER1 fehlt"],
  ["db.example.com", "mysql", "process is not running"],
  ["db.example.com", "mysql", "process is running with pid 5021 in 2GB"],
  ["db.example.com", "sda1", "checksum changed to d41d8cd98f00b204e9800998ecf8427e"],
];

async function story() {
  const app = new TestApp();
  for (const [hostname, service, message] of STORY) {
    await app.report({
      id: hostname,
      hostname,
      at: app.clock.now(),
      incarnation: START - 100,
      services: [{ name: service }],
      event: { service, state: 2, message },
    });
    app.clock.step(10);
  }
  return app;
}

const app = await story();
const user = await app.user();

async function idsMatching(text: string, more = "") {
  const { json } = await user.get(`${LIST}?text=${encodeURIComponent(text)}${more}`);
  expect(json.totalRecords).toBe(more === "" ? json.records.length : json.totalRecords);
  return json.records.map(({ id }: { id: number }) => id).join(" ");
}

const SEARCHES: readonly [text: string, ids: string, why: string][] = [
  ["process", "6 5", "a word of the message"],
  ["proc", "6 5", "the beginning of a word"],
  ["rocess", "", "not the inside of a word"],
  ["PROCESS Running", "6 5", "all words, in any case and order"],
  ["process gone", "", "all words, not any"],
  ["nginx", "2 1", "a service"],
  ["web1", "2 1", "a host"],
  ["web1.example.com", "2 1", "a whole name of a host"],
  ["db mysql running", "6 5", "words of host, service and message together"],
  ["502", "6 1", "a number, by its beginning"],
  ["status 502", "1", "a word and a number"],
  ["92.5", "3", "a number with a point, as two words"],
  ["2gb", "6", "a word that begins with a digit, in any case"],
  ["sda1", "7 4", "a word with a digit"],
  ["sda", "7 4", "the letters of a word with a digit"],
  ["sda2", "", "another digit"],
  ["d41d8", "7", "the beginning of a checksum"],
  ["gerät", "4", "letters beyond ASCII"],
  ["ärger1", "4", "letters beyond ASCII with a digit, in any case"],
  ["process is running with pid 5021 in none", "", "eight words"],
  ["process is running with pid 5021 in 2GB none", "6", "the first eight of nine words"],
  ["%", "3", "a sign, anywhere"],
  ["] --", "1", "all signs"],
  ["☎", "", "a sign that nothing has"],
  ["% process", "6 5", "words alone, if there is one"],
  ["", "7 6 5 4 3 2 1", "nothing"],
];
for (const [text, ids, why] of SEARCHES)
  test(`"${text}" finds "${ids}" (${why})`, async () => expect(await idsMatching(text)).toBe(ids));

test("a sign in the name of a host or service finds their events", async () => {
  const signs = new TestApp();
  for (const [hostname, service] of [
    ["🔥 kiln", "fan"],
    ["forge", "fan 🔥"],
    ["anvil", "fan"],
  ] as const)
    await signs.report({
      id: hostname,
      hostname,
      services: [{ name: service }],
      event: { service, state: 2, message: "lit" },
    });
  const { json } = await (await signs.user()).get(LIST, { text: "🔥" });
  expect(json.records.map(({ hostname }: { hostname: string }) => hostname).toSorted()).toEqual([
    "forge",
    "🔥 kiln",
  ]);
});

test("the search narrows other filters, and pages have the exact total", async () => {
  expect(await idsMatching("example", "&results=2&startindex=2")).toBe("5 4");
  const { json } = await user.get(`${LIST}?text=example&results=2&startindex=2`);
  expect(json.totalRecords).toBe(7);
  expect(await idsMatching("example", "&hostid=2")).toBe("3");
  expect(await idsMatching("example", "&maxid=2")).toBe("2 1");
  expect(await idsMatching("process", "&active=1")).toBe("");
});

test("a hostile message costs the index at most 50 words of 24 characters", async () => {
  const hostile = await story();
  const message = Array.from({ length: 20 }, (_, i) => `${"x".repeat(40)}${"abcdefghij"[i % 10]}`)
    .concat(Array.from({ length: 500 }, (_, i) => `w${String.fromCodePoint(0x4e00 + i)}`))
    .join(" ");
  await hostile.report({ id: "h", services: [{ name: "s" }], event: { service: "s", message } });
  const [words] = hostile.rows<{ n: number; longest: number }>(
    `select count(*) as n, max(length(word)) as longest from event_words
     where set_id = (select max(id) from event_word_sets)`,
  );
  expect(words).toEqual({ n: 50, longest: 24 });
  const admin = await hostile.user();
  const of = async (text: string) => (await admin.get(`${LIST}?text=${text}`)).json.totalRecords;
  expect(await of("x".repeat(40))).toBe(1);
  expect(await of("x".repeat(41))).toBe(0);
});

test("a message is stored with words that are cut within characters of two code units", async () => {
  const rare = new TestApp();
  const [script, han] = ["\u{1d49c}", "\u{20000}"].map((letter) => "a".repeat(23) + letter);
  const event = { service: "s", message: `${script} ${han}` };
  const reply = await rare.report({ id: "h", services: [{ name: "s" }], event });
  expect(reply.status).toBe(200);
  expect(rare.rows("select word from event_words")).toEqual([{ word: "a".repeat(23) }]);
  const viewer = await rare.user();
  const total = async (text: string) => (await viewer.get(LIST, { text })).json.totalRecords;
  expect(await total(`${script} ${han}`)).toBe(1);
  expect(await total("a".repeat(24))).toBe(0);
});

test("messages that differ in numbers share their words", async () => {
  const shared = new TestApp();
  for (const usage of [91, 92, 93])
    await shared.report({
      id: "a",
      services: [{ name: "disk" }],
      event: { service: "disk", message: `space usage ${usage}%`, collectedUsec: usage },
    });
  expect(shared.rows("select words from event_word_sets")).toEqual([{ words: "space usage" }]);
  expect(shared.rows("select distinct word_set_id as id from events")).toEqual([{ id: 1 }]);
});

test("words are deleted with the last event that has them", async () => {
  const old = await story();
  const retention = new Retention(old.db, old.settings, old.clock);
  old.clock.step(20_000 * 86_400);
  while (retention.step());
  for (const table of ["events", "event_word_sets", "event_words"])
    expect(old.rows(`select count(*) as n from ${table}`)).toEqual([{ n: 0 }]);
});
