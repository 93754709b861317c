/** Messages that no agent sends: altered real ones, and noise. Repeatable by their seed. */
import { deflateSync, gzipSync } from "node:zlib";
import { captured, capturedNames } from "./fixtures.ts";
import type { Random } from "./random.ts";

export interface HostileMessage {
  body: Uint8Array<ArrayBuffer>;
  headers: Record<string, string>;
}

/** Put into texts and between bytes. */
const HOSTILE_TEXTS = [
  "",
  " ",
  "\0",
  "\x1b[31m",
  "\r\n",
  "\ufeff",
  "\ufffe",
  "\uffff",
  "\ud83d\ude00",
  "\u202egnp.exe",
  "\u0000",
  "<",
  ">",
  "&",
  '"',
  "'",
  "]]>",
  "<![CDATA[",
  "-->",
  "<!--",
  "<?x?>",
  "&amp;",
  "&lt;script&gt;",
  "&bogus;",
  "&#0;",
  "&#xD800;",
  "&#x1F600;",
  "&#55296;",
  "&#xFFFF;",
  "&#1114112;",
  "&#99999999999;",
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "{{7*7}}",
  "'; drop table hosts; --",
  "\\",
  "%00",
  "%n%s",
  "../../../etc/passwd",
  "=cmd|' /C calc'!A0",
  "<!DOCTYPE monit>",
  "<!DOCTYPE x [<!ENTITY a 'aaaa'>]>",
  "<!ENTITY % p SYSTEM 'file:///etc/passwd'>",
  "</service>",
  "</services></monit>",
  "<monit>",
  "<event></event>",
  '<service name="x">',
  "</event>",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "true",
];

const HOSTILE_NUMBERS = [
  "-1",
  "0",
  "1",
  "-0",
  "00",
  "1e3",
  "1e999",
  "-1e999",
  "0x10",
  "1.5",
  ".5",
  "5.",
  "+1",
  " 1",
  "1 ",
  "NaN",
  "Infinity",
  "4294967295",
  "4294967296",
  "2147483648",
  "9007199254740993",
  "18446744073709551616",
  "",
  "253402300800",
  "-62135596800",
  "99999999999999999999999999999999",
  "1_000",
  "١٢",
  "1;",
  "0.1e-400",
];

type Mutation = (bytes: Buffer, random: Random) => Buffer;

function replaced(bytes: Buffer, from: number, to: number, by: Buffer | string): Buffer {
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(by), bytes.subarray(to)]);
}

function span(bytes: Buffer, random: Random, longest: number): [from: number, to: number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + random.below(longest + 1))];
}

/** Replaces one of the places that `pattern` finds. */
function atOne(pattern: RegExp, by: (random: Random) => string): Mutation {
  return (bytes, random) => {
    const places = [...bytes.toString("latin1").matchAll(pattern)];
    if (places.length === 0) return bytes;
    const place = random.pick(places);
    return replaced(bytes, place.index, place.index + place[0].length, by(random));
  };
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

function textOf(random: Random): string {
  const text = random.pick(HOSTILE_TEXTS);
  return random.chance(0.05) ? text.repeat(random.between(1, 5000)).slice(0, 100_000) : text;
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const MUTATIONS: readonly Mutation[] = [
  // Bytes.
  (bytes, random) => {
    const out = Buffer.from(bytes);
    for (let i = random.between(1, 8); i > 0; i--) out[random.below(out.length)] = random.below(256);
    return out;
  },
  (bytes, random) => replaced(bytes, ...span(bytes, random, 200), ""),
  (bytes, random) => replaced(bytes, ...span(bytes, random, 4), noise(random, random.below(40))),
  (bytes, random) => replaced(bytes, ...span(bytes, random, 0), textOf(random)),
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const [from, to] = span(bytes, random, 2000);
    return replaced(bytes, to, to, bytes.subarray(from, to));
  },
  // Words.
  atOne(/(?<=>)[^<>]{0,60}(?=<\/)/g, (random) => escaped(textOf(random))),
  atOne(/(?<=>)[^<>]{0,60}(?=<\/)/g, textOf),
  atOne(/(?<=<!\[CDATA\[)[^\]]{0,200}(?=\]\]>)/g, textOf),
  atOne(/(?<=name=")[^"]{0,60}(?=")/g, (random) => escaped(textOf(random))),
  atOne(/(?<=>)-?[\d.]+(?=<\/)/g, (random) => random.pick(HOSTILE_NUMBERS)),
  atOne(/(?<=(?:id|incarnation|version)=")[^"]*(?=")/g, (random) => random.pick(HOSTILE_NUMBERS)),
  atOne(/<[a-z_]+>/g, (random) => `<${random.pick(["x", "service", "type", "monit", "__proto__", "name"])}>`),
  atOne(/<\/[a-z_]+>/g, (random) => "</x>".repeat(random.below(3))),
  atOne(/<services>/g, (random) => `<services>${"<a>".repeat(random.pick([1, 31, 32, 33, 5000]))}`),
];

/** Designed to be understood, so that their hostile content is stored. */
const LASTING: readonly Mutation[] = [
  atOne(/(?<=<!\[CDATA\[)[^\]]{0,200}(?=\]\]>)/g, (random) => textOf(random).replaceAll("]]>", "]] >")),
  atOne(
    /(?<=<(?:localhostname|controlfile|username|password|release|machine|cron|request|path)>)[^<]*(?=<)/g,
    (random) => escaped(textOf(random)),
  ),
  atOne(/(?<=<service name=")[^"]{0,60}(?=")/g, (random) => escaped(textOf(random)) || "x"),
  atOne(/(?<=<(?:avg01|percent|usage|responsetime|value|status|uptime)>)[^<]*(?=<)/g, (random) =>
    random.pick(HOSTILE_NUMBERS),
  ),
];

function packed(body: Buffer, random: Random): HostileMessage {
  const plain = { "Content-Type": "text/xml" };
  const gzip = { ...plain, "Content-Encoding": "gzip" };
  const bytes = (buffer: Buffer) => new Uint8Array(buffer);
  switch (random.below(20)) {
    case 0:
    case 1:
      return { body: bytes(gzipSync(body)), headers: gzip };
    case 2: {
      const zipped = gzipSync(body);
      zipped[random.below(zipped.length)] = random.below(256);
      return { body: bytes(zipped), headers: gzip };
    }
    case 3:
      return { body: bytes(body), headers: gzip };
    case 4:
      return {
        body: bytes(deflateSync(body)),
        headers: { ...plain, "Content-Encoding": random.pick(["deflate", "br", "gzip"]) },
      };
    case 5:
      return {
        body: bytes(body),
        headers: {
          "Content-Type": random.pick([
            "",
            "text/plain",
            "application/xml",
            'text/xml; x="',
            "multipart/form-data",
          ]),
        },
      };
    default:
      return { body: bytes(body), headers: plain };
  }
}

/** Of as many agents, whatever else is done to the message. */
const AGENTS = 20;

/** An endless series of messages. */
export function* hostileMessages(random: Random): Generator<HostileMessage, never> {
  const originals = capturedNames().map((name) => Buffer.from(captured(name)));
  for (;;) {
    if (random.chance(0.02)) {
      yield packed(noise(random, random.below(3000)), random);
      continue;
    }
    const original = random.pick(originals).toString("latin1");
    const named = original.replace(/id="[^"]*"/, `id="agent-${random.below(AGENTS)}"`);
    let body = Buffer.from(named, "latin1") as Buffer;
    if (random.chance(0.3)) {
      for (let i = random.between(1, 4); i > 0; i--) body = random.pick(LASTING)(body, random);
      yield { body: new Uint8Array(body), headers: { "Content-Type": "text/xml" } };
    } else {
      for (let i = random.pick([1, 1, 1, 2, 5]); i > 0 && body.length > 0; i--)
        body = random.pick(MUTATIONS)(body, random);
      yield packed(body, random);
    }
  }
}
