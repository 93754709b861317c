/** Damaged messages end in a refusal or in something well-formed. */
import { expect, test } from "bun:test";
import { parseAgentMessage } from "../../src/monit/message.ts";
import { RejectedMessage } from "../../src/monit/rejected-message.ts";
import { captured, capturedNames } from "../support/fixtures.ts";

function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const PIECES = ["<", ">", '"', "&", "]]>", "<![CDATA[", "</service>", "<service name=", "&#0;", "<x>"];
const TEXTS = [
  "0",
  "1",
  "7",
  "-1",
  "99999999999999999999",
  "1.5",
  "nan",
  "",
  " ",
  "\0",
  "\x1B[0m",
  "å",
  "😀",
  "&",
  "\uFFFF",
];

/** One random edit of the bytes: mostly another text in an element, else another byte, a gap, a repetition, an insertion. */
function mutate(bytes: Uint8Array, random: (n: number) => number): Uint8Array {
  const pick = (texts: string[]) => Buffer.from(texts[random(texts.length)] ?? "");
  const at = random(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random(100));
  switch (random(12)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), pick(PIECES), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(random(256)), bytes.subarray(at + 1)]);
    default: {
      const start = bytes.indexOf(0x3e /* > */, at) + 1;
      const stop = bytes.indexOf(0x3c /* < */, start);
      return Buffer.concat([bytes.subarray(0, start), pick(TEXTS), bytes.subarray(Math.max(start, stop))]);
    }
  }
}

test("of 800 damaged messages each is either refused or well-formed, and nothing else is thrown", () => {
  const random = generator(20_260_105);
  const originals = capturedNames().map(captured);
  let refused = 0;
  for (let i = 0; i < 800; i++) {
    let bytes = originals[i % originals.length] ?? new Uint8Array();
    for (let edits = 1 + random(2); edits > 0; edits--) bytes = mutate(bytes, random);
    try {
      const text = JSON.stringify(parseAgentMessage(bytes));
      // JSON.stringify escapes lone surrogates and control characters, so that they would show here.
      expect(text).not.toMatch(/\\(?:u(?:d[89a-f]|00)|[bf])/i);
    } catch (error) {
      if (!(error instanceof RejectedMessage)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(700);
});
