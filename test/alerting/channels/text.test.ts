import { expect, test } from "bun:test";
import { linesOf } from "../../../src/alerting/channels/kinds/fields.ts";
import { mask } from "../../../src/alerting/channels/masking.ts";
import { clean, cleanLine, cut, cutBytes } from "../../../src/platform/text.ts";

test("a text is cut at characters, never within one, and says that it was", () => {
  expect(cut("abc", 3)).toBe("abc");
  expect(cut("abcd", 3)).toBe("...");
  expect(cut("ab😀cdef", 6)).toBe("ab...");
  expect(cut("ab\ud83d", 9)).toBe("ab\ufffd");
  expect(cutBytes("äöü", 6)).toBe("äöü");
  expect(cutBytes("äöüäöü", 8)).toBe("äö...");
  expect(cutBytes("😀😀", 7)).toBe("😀...");
});

test("control characters of agents go, line ends stay or go", () => {
  expect(clean("a\u0000b\u001b[1m\r\nc\td")).toBe("a b [1m\nc\td");
  expect(cleanLine("a\r\nBcc: x\u0085")).toBe("a Bcc: x ");
  expect(linesOf(" a \n\n\tb\n")).toEqual(["a", "b"]);
});

test("secrets are masked in every form in which a remote might repeat them", () => {
  const secrets = [
    'p/ss "word',
    "https://hooks.example/services/T0/Bsecretpart",
    "Authorization: Bearer abcdefgh1",
    "",
  ];
  const said = [
    'plain p/ss "word',
    "url p%2Fss%20%22word",
    'json p/ss \\"word',
    `base64 ${btoa('p/ss "word')}`,
    "no service at /services/T0/Bsecretpart",
    "bad token abcdefgh1 at hooks.example",
  ].join("\n");
  expect(mask(said, secrets)).toBe(
    [
      "plain ***",
      "url ***",
      "json ***",
      "base64 ***",
      "no service at /***/T0/***",
      "bad token *** at hooks.example",
    ].join("\n"),
  );
});
