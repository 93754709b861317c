/** Altered real messages, in runs of one host. Repeatable by their seed. */
import { parseAgentMessage } from "../../src/monit/message.ts";
import { captured, capturedNames } from "./fixtures.ts";
import type { Random } from "./random.ts";

/** A message as it comes in. */
export interface MutatedMessage {
  bytes: Buffer;
  /** Unix seconds. */
  receivedAt: number;
  source: string;
}

interface Original {
  /** Latin-1: a character is a byte. */
  text: string;
  /** The newest of its dates, unix seconds. */
  at: number;
}

/** A number as the whole text of an element. */
const NUMBER = /(?<=>)-?\d[\d.]*(?=<)/g;

/** Those that differ from message to message. */
const MOVING_NUMBER =
  /(?<=<(?:percent|percenttotal|usage|total|count|now|kilobyte|avg\d\d|user|system|pid|threads|responsetime|size|access|collected_usec)>)-?\d[\d.]*(?=<)/g;

type NumberMutation = (number: string, random: Random) => string;

/** The same element with another number that agents send. */
const otherNumber: NumberMutation = (number, random) => {
  if (number.includes(".")) return (random.below(100_000) / 10 ** random.below(4)).toString();
  const digits = random.between(1, number.length);
  return String(random.below(10 ** Math.min(digits, 9)));
};

const BOUNDARIES = [
  "0",
  "-0",
  "-1",
  "00",
  "007",
  "0.0",
  "-0.5",
  "999999",
  "1000000",
  "86400",
  "65535",
  "65536",
  "253402300799",
  "253402300800",
  "4294967295",
  "4294967296",
  "9007199254740992",
  "123456789012345",
  "1234567890123456",
  "0.12345678901234",
  "0.123456789012345",
  "1".repeat(40),
];

const NUMBER_MUTATIONS: readonly NumberMutation[] = [
  otherNumber,
  otherNumber,
  otherNumber,
  () => "",
  () => "\0",
  () => "\0\0",
  (number) => `${number}\0`,
  (number) => `\0${number}`,
  (number) => number + number,
  (number) => `${number}.${number}`,
  (number) => `-${number}`,
  (number) => `+${number}`,
  (number) => `${number}e3`,
  (number, random) => `${number}E${random.pick(["+", "-", ""])}${random.below(400)}`,
  (number) => ` ${number}`,
  (number) => `${number}\n`,
  (number) => `.${number}`,
  (number) => `${number}.`,
  (number) => `<!-- -->${number}`,
  (number) => `<![CDATA[${number}]]>`,
  (number) => `&#${number.charCodeAt(0)};${number.slice(1)}`,
  (number) => `<percent>${number}</percent>`,
  () => "nan",
  () => "-inf",
  (_, random) => random.pick(BOUNDARIES),
];

const moved = (text: string, random: Random) =>
  text.replace(MOVING_NUMBER, (number) => (random.chance(0.5) ? otherNumber(number, random) : number));

/** Alters about this share of the numbers. */
function withNumbers(text: string, random: Random, about: number, numbers = NUMBER): string {
  const share = about / (text.match(numbers)?.length ?? 1);
  return text.replace(numbers, (number) =>
    random.chance(share) ? random.pick(NUMBER_MUTATIONS)(number, random) : number,
  );
}

type Mutation = (text: string, random: Random, other: string) => string;

const place = (text: string, random: Random) => random.below(text.length + 1);
const byte = (random: Random) => String.fromCharCode(random.chance(0.2) ? 0 : random.below(256));

/** One place that `pattern` finds, changed. */
function atOne(pattern: RegExp, by: (match: string, random: Random) => string): Mutation {
  return (text, random) => {
    const places = [...text.matchAll(pattern)];
    if (places.length === 0) return text;
    const { index, 0: match } = random.pick(places);
    return text.slice(0, index) + by(match, random) + text.slice(index + match.length);
  };
}

const MUTATIONS: readonly Mutation[] = [
  // Bytes flipped, inserted, deleted, a truncated tail.
  (text, random) => {
    const at = random.below(text.length);
    const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8)));
    return text.slice(0, at) + flipped + text.slice(at + 1);
  },
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + byte(random).repeat(random.between(1, 3)) + text.slice(at);
  },
  (text, random) => {
    const at = place(text, random);
    return text.slice(0, at) + text.slice(at + random.between(1, random.pick([1, 4, 200])));
  },
  (text, random) => text.slice(0, random.chance(0.5) ? -random.between(1, 40) : place(text, random)),
  // A piece of another host's message.
  (text, random, other) => {
    const from = place(other, random);
    const at = place(text, random);
    const piece = other.slice(from, from + random.below(300));
    return text.slice(0, at) + piece + text.slice(at + (random.chance(0.5) ? piece.length : 0));
  },
  // Numbers and elements: removed, doubled, renamed, in a text.
  atOne(/<([a-z_]+)>[^<]*<\/\1>/g, () => ""),
  atOne(/<([a-z_]+)>[^<]*<\/\1>/g, (match) => match + match),
  atOne(/<([a-z_]+)>[^<]*<\/\1>/g, (match) => `<!--${match}-->`),
  atOne(/<service type="?.*?<\/service>|<service name=.*?<\/service>/gs, (match) => match + match),
  atOne(/<service name="[^"]*"/g, (_, random) => `<service name="${random.pick(["x", "a&b", "a<b", ""])}"`),
  atOne(
    /<[a-z_]+>/g,
    (_, random) => `<${random.pick(["percent", "uptime", "pid", "x", "name", "collected_usec"])}>`,
  ),
  atOne(/(?<=<!\[CDATA\[)[^\]]*/g, (_, random) => `<percent>${random.below(100)}</percent>`),
  atOne(/(?<=<!\[CDATA\[)[^\]]*/g, (match) => `${match}<event></event>`),
  atOne(/(?<=<!\[CDATA\[)[^\]]*/g, (match, random) => match.padEnd(8185, "x") + random.below(1e9)),
  atOne(/<\/[a-z_]+>/g, (match, random) => `${match}${random.below(1000)}`),
  atOne(
    /<name>|<path>|<username>/g,
    (match, random) => `${match}${"y".repeat(random.between(230, 1030))}<pid>12</pid>&`,
  ),
];

type EventMutation = (event: string, random: Random) => string;

/** Replaces an event, at the end of a document. */
const EVENT_MUTATIONS: readonly EventMutation[] = [
  (event) => event,
  (event) => event,
  (event) => event,
  (event) => event,
  (event) => event + event,
  (event, random) => withNumbers(event, random, 1),
  // Tags within a text, and sections that end elsewhere than they seem to.
  (event) => event.replace("[CDATA[", "[CDATA[<event>"),
  (event) => event.replace("[CDATA[", "[CDATA[</event></monit>"),
  (event) => event.replace("[CDATA[", "[CDATA[]]]]><![CDATA[>"),
  (event) => event.replace("]]>", "]]>]]&gt;<!-- </event> -->"),
  (event) => event.replace(/<!\[CDATA\[.*\]\]>/s, "a & b < c"),
  (event) => event.replace(/<!\[CDATA\[.*\]\]>/s, "&lt;&#98;&amp;amp;&unknown;"),
  (event) => event.replace(/(<service>)/, "$1a & b "),
  (event) => event.replace("[CDATA[", "[CDATA[\x1b[31m\0\xff\xc3\xa9\xef\xbb\xbf"),
  (event) => `<!-- <event> -->${event}`,
  (event) => `<![CDATA[<event>]]>${event}`,
  (event) => `<?x <event> <!-- ?>${event}<!-- --></event>-->`,
  (event) => `<?x <event> ?>${event}`,
  // Adds something else beside events.
  (event) => `${event}<services></services>`,
  (event) => `${event}<hostgroups><name>Oslo</name></hostgroups>`,
  (event) => `${event}<servicegroups><servicegroup name="x"></servicegroup></servicegroups>`,
  (event) => `${event}text`,
  (event) => `text${event} <!-- -->\n`,
  // Other forms of the tag, and none of them.
  (event) => event.replace("<event>", "<event >"),
  (event) => event.replace("<event>", '<event id="1">'),
  (event) => event.replace("<event>", "<Event>"),
  () => "<event/>",
  () => "<event></event>",
  () => "<event> </event>",
  () => "<event>text</event>",
  (event) => `<event>${event}</event>`,
  (event) => event.replace("</event>", ""),
  (event) => event.replace("<event>", ""),
  (event) => event.slice(0, event.length / 2),
  (event) => event.replace(/<service>/, `${"<x>".repeat(40)}${"</x>".repeat(40)}<service>`),
  (event) => event.replace("</event>", "</event></monit><monit>"),
  (event) => `${event}</monit> trailing`,
  (event) => `<!DOCTYPE monit [<!ENTITY a "b">]>${event}`,
  (event) => event.repeat(120),
  (event) => event.replace(/(<type>)\d+/, "$1nan"),
  (event) => event.replace(/<service>.*<\/service>/s, ""),
  (event) => event.replace(/(<service>).*(<\/service>)/s, "$1Monit$2").replace(/(<id>)\d+/, "$165536"),
  (event) => event.replace(/(<action>)\d+/, "$13").replace(/(<state>)\d+/, "$12"),
];

/** A document with events of a service that is not in it or is, at its end or elsewhere. */
function withEvents(text: string, at: number, random: Random): string {
  const names = [...text.matchAll(/<service name="([^"]*)"/g)].map(([, name = ""]) => name);
  const event = eventText({
    at: at - random.below(3),
    usec: random.below(1_000_000),
    service: random.pick([...names, "another"]),
    state: random.below(5),
  });
  const part = random.pick(EVENT_MUTATIONS)(event, random);
  if (random.chance(0.9)) return text.replace("</monit>", () => `${part}</monit>`);
  return random.chance(0.5)
    ? text.replace("<server>", () => `${part}<server>`)
    : text.replace("</services>", () => `${part}</services>`);
}

/** A known agent's id in place of the document's. */
function named(text: string, agent: number): string {
  return text.replace(/(?<=<monit[^>]*\sid=")[^"]*/, `agent-${agent}`);
}

function originals(): Original[] {
  return capturedNames().map((name) => {
    const bytes = Buffer.from(captured(name));
    const { incarnation, server, services } = parseAgentMessage(bytes);
    const at = Math.max(incarnation + server.uptime, ...services.map(({ collectedSec }) => collectedSec));
    const text = bytes.toString("latin1");
    return { text, at };
  });
}

/** The last service of a document fails or is fine, with the event that says so or without. */
function withState(text: string, failing: boolean, event: { at: number; usec: number } | null): string {
  const lastService = [...text.matchAll(/<service name="([^"]*)">.*?<\/service>/gs)].at(-1);
  if (!lastService) return text;
  const { index, 0: service, 1: name } = lastService;
  const changed = service.replace(/<status>\d+</, `<status>${failing ? 512 : 0}<`);
  const whole = text.slice(0, index) + changed + text.slice(index + service.length);
  if (!event) return whole;
  const { at, usec } = event;
  return whole.replace(
    /(<event>.*<\/event>)?<\/monit>/s,
    () => `${eventText({ at, usec, service: name ?? "", state: failing ? 1 : 0 })}</monit>`,
  );
}

interface EventText {
  /** Unix seconds, and microseconds within them. */
  at: number;
  usec: number;
  service: string;
  state: number;
}

function eventText({ at, usec, service, state }: EventText): string {
  return (
    `<event><collected_sec>${at}</collected_sec><collected_usec>${usec}</collected_usec><service>${service}</service>` +
    `<type>3</type><id>512</id><state>${state}</state><action>1</action>` +
    "<message><![CDATA[it failed or recovered]]></message></event>"
  );
}

/** A run in which a service fails, goes on failing, and may recover with its event or without. */
function withFailure(run: readonly string[], at: number, random: Random): string[] {
  let failing = true;
  return run.map((text, i) => {
    const turns = i > 0 && random.chance(0.15);
    if (turns) failing = !failing;
    const isTold = i === 0 || (turns && random.chance(0.5));
    const event = isTold ? { at: at + i, usec: random.below(1_000_000) } : null;
    return withState(text, failing, event);
  });
}

/** The same message some seconds later, after another round of checks. */
function aged(text: string, seconds: number): string {
  const later = (number: string) => String(Number(number) + seconds);
  return text.replace(/(?<=<(?:collected_sec|uptime)>)\d{1,10}(?=<)/g, later);
}

/** This many hosts, whatever is done to their messages. */
const AGENTS = 8;
const WITHOUT_EVENTS = 6;

/** A message with an event is never a repetition: those of most hosts have none at first. */
function ofAgent(text: string, agent: number): string {
  return named(agent < WITHOUT_EVENTS ? text.replace(/<event>.*<\/event>/s, "") : text, agent);
}

function isTaken(text: string): boolean {
  try {
    parseAgentMessage(Buffer.from(text, "latin1"));
    return true;
  } catch {
    return false;
  }
}

/**
 * An endless series of messages, in runs of one host: one message, perhaps an altered one, then others that differ
 * from it in numbers or in a few bytes.
 */
export function* mutatedMessages(random: Random): Generator<MutatedMessage, never> {
  const messages = originals();
  for (;;) {
    const { text, at } = random.pick(messages);
    const other = random.pick(messages).text;
    const mutate = (before: string) => {
      const after = random.pick(MUTATIONS)(before, random, other);
      return after.length > 0 ? after : before;
    };
    // A failure without an event is news for a while, and news is no repetition.
    const state = random.chance(0.6) ? text.replace(/(?<=<status>)\d+(?=<)/g, "0") : text;
    const unchanged = ofAgent(state, random.below(AGENTS));
    const changed = () =>
      random.pick([mutate, mutate, (text: string) => withNumbers(text, random, 1)])(unchanged);
    let base = unchanged;
    // A refused message is refused each time: mostly it is better to continue from an accepted one.
    if (random.chance(0.6)) base = changed();
    for (let i = 0; i < 5 && !isTaken(base) && random.chance(0.9); i++) base = changed();
    let receivedAt = at;
    const source = `198.51.100.${random.between(1, 2)}`;
    const variants: (() => string)[] = [
      () => base,
      () => moved(base, random),
      () => moved(base, random),
      () => withNumbers(moved(base, random), random, 1, MOVING_NUMBER),
      () => withNumbers(moved(base, random), random, 1, MOVING_NUMBER),
      () => withNumbers(base, random, random.pick([1, 2, 20])),
      () => mutate(moved(base, random)),
      () => withEvents(moved(base, random), at, random),
    ];
    const run = [base, base, ...Array.from({ length: random.between(2, 8) }, () => random.pick(variants)())];
    for (const each of random.chance(0.2) ? withFailure(run, at, random) : run) {
      receivedAt += random.pick([0, 1, 5, 5, 30, 120]) * Number(random.chance(0.3));
      const message = random.chance(0.7) ? aged(each, receivedAt - at) : each;
      yield { bytes: Buffer.from(message, "latin1"), receivedAt, source };
    }
  }
}
