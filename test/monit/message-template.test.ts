import { describe, expect, test } from "bun:test";
import { STILL, TemplateReader } from "../../src/monit/message-template.ts";
import { Random } from "../support/random.ts";

const reader = new TemplateReader();

/** The skeleton of a text, and the numbers that are not in it. */
function read(text: string) {
  const template = reader.read(Buffer.from(text));
  return { template, numbers: [...reader.numbers.subarray(0, reader.count)] };
}

const percent = (text: string) => `<cpu><percent>${text}</percent></cpu>`;

test("numbers that move are no part of it, and read as the parser would", () => {
  const random = new Random(1);
  const usage = (text: string) => `<block><usage>${text}</usage></block>`;
  const { template } = read(usage("0"));
  for (let i = 0; i < 20_000; i++) {
    const digits = random.between(1, 15);
    const whole = random.between(1, digits);
    const figures = Array.from({ length: digits }, () => random.below(10)).join("");
    const fraction = figures.slice(whole);
    const text = `${random.chance(0.2) ? "-" : ""}${figures.slice(0, whole)}${fraction && `.${fraction}`}`;
    expect(read(usage(text))).toEqual({ template, numbers: [Number(text)] });
  }
});

test("a percentage moves unless it is negative, and so not a value", () => {
  expect(read(percent("12.5"))).toEqual({ ...read(percent("0")), numbers: [12.5] });
  expect(read(percent("-1.0")).numbers).toEqual([]);
  expect(read(percent("-1.0")).template).not.toBe(read(percent("1.0")).template);
});

describe("what is no number that moves stays in it", () => {
  const TEXTS = [
    "",
    " 5",
    "5 ",
    "+5",
    "--5",
    "-",
    ".5",
    "5.",
    "5.5.5",
    "1e5",
    "nan",
    "0x5",
    "5a",
    "1234567890123456",
  ];
  for (const text of TEXTS)
    test(JSON.stringify(text), () => {
      const values = read(percent(text));
      expect(values.numbers).toEqual([]);
      expect(values.template).not.toBe(read(percent("5")).template);
    });

  for (const name of ["uptime", "collected_sec", "collected_usec"])
    for (const text of ["-5", "5.5"])
      test(`${name} ${text}`, () => expect(read(`<${name}>${text}</${name}>`).numbers).toEqual([]));

  for (const name of STILL) test(name, () => expect(read(`<${name}>5</${name}>`).numbers).toEqual([]));
});

test("everything else is a part of it", () => {
  const text = `<service name="web"><status>0</status>${percent("5")}<a>x</a></service>`;
  const { template } = read(text);
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "5") continue;
    const changed = `${text.slice(0, i)}~${text.slice(i + 1)}`;
    expect(read(changed).template).not.toBe(template);
  }
});

test("a document that is too large has none", () => {
  expect(read(percent("5").padEnd(256 * 1024)).template).not.toBeNull();
  expect(read(percent("5").padEnd(256 * 1024 + 1)).template).toBeNull();
});

test("a document with a byte 0 has no template, since that byte marks a number", () => {
  for (const text of ["\0", "5\0", "\0" + "5"]) expect(read(percent(text)).template).toBeNull();
  expect(read(percent("\x1b[31m")).template).not.toBeNull();
});

test("of very many numbers the last are a part of it", () => {
  const many = (last: string) => percent("5").repeat(8192) + percent(last);
  expect(read(many("6")).numbers).toHaveLength(8192);
  expect(read(many("6")).template).not.toBe(read(many("7")).template);
});

test("a document may end within a number", () => {
  for (const text of ["<percent>", "<percent>5", "<percent>-", "<percent>5.", ">5<", "5"])
    expect(read(text).numbers).toHaveLength(0);
});
