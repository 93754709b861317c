import { describe, expect, test } from "bun:test";
import { decodeDocument, parseDocument, repairDocument } from "../../src/monit/xml.ts";

describe("decoding", () => {
  test("takes valid UTF-8 as such, whatever the document declares", () => {
    expect(decodeDocument(Buffer.from('<?xml encoding="ISO-8859-1"?>smørbrød 😀'))).toBe(
      '<?xml encoding="ISO-8859-1"?>smørbrød 😀',
    );
  });

  test("takes other bytes as Latin-1", () => {
    expect(decodeDocument(Buffer.from("smørbrød på brød", "latin1"))).toBe("smørbrød på brød");
  });

  test("takes UTF-8 with half a character in it as UTF-8, and the half as Latin-1", () => {
    const half = Buffer.from("ø").subarray(0, 1);
    expect(decodeDocument(Buffer.concat([Buffer.from("på 😀 €"), half, Buffer.from("på")]))).toBe(
      "på 😀 €Ãpå",
    );
  });

  test("never gives a lone surrogate", () => {
    for (const bytes of [
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f, 0x98],
      [0xf4, 0x90, 0x80, 0x80],
      [0xc0, 0x80],
    ]) {
      expect(decodeDocument(Uint8Array.from(bytes)).isWellFormed()).toBe(true);
    }
  });

  test("replaces what XML does not allow, and keeps tab, line feed and carriage return", () => {
    expect(decodeDocument(Buffer.from("\0a\x1b[31m\t\n\r\x08\uFFFE\uFFFF"))).toBe(
      "\uFFFDa\uFFFD[31m\t\n\r\uFFFD\uFFFD\uFFFD",
    );
  });

  test("decodes a view into a larger buffer", () => {
    expect(decodeDocument(Buffer.from("xx\xE5yy", "latin1").subarray(2, 3))).toBe("å");
  });
});

describe("repair", () => {
  const cases: [what: string, from: string, to: string][] = [
    ["escapes a bare & in a name", '<service name="a & b"><type>', '<service name="a &amp; b"><type>'],
    [
      "keeps references",
      '<service name="a &amp; &#65; &b"><type>',
      '<service name="a &amp; &#65; &amp;b"><type>',
    ],
    ["escapes a bare < in a name", '<service name="x<y"><type>', '<service name="x&lt;y"><type>'],
    ["escapes a bare quote in a name", '<service name="x"y"><type>', '<service name="x&quot;y"><type>'],
    [
      "escapes names of groups",
      '<servicegroup name="<&"></servicegroup>',
      '<servicegroup name="&lt;&amp;"></servicegroup>',
    ],
    ["keeps a further attribute", '<service name="a" x="&"><type>', '<service name="a" x="&amp;"><type>'],
    [
      "keeps several further attributes",
      '<service name="&" x="" y="b"><type>',
      '<service name="&amp;" x="" y="b"><type>',
    ],
    [
      "keeps empty elements apart",
      '<servicegroup name="a"/><servicegroup name="b">',
      '<servicegroup name="a"/><servicegroup name="b">',
    ],
    ["escapes a password", "<password>p<w&></password>", "<password>p&lt;w&amp;></password>"],
    ["escapes a path", "<path>/a<b</path>", "<path>/a&lt;b</path>"],
    ["escapes a bare & elsewhere", "<x>a & b</x>", "<x>a &amp; b</x>"],
    ["leaves CDATA alone", '<![CDATA[& <service name="<"> <]]>&', '<![CDATA[& <service name="<"> <]]>&amp;'],
    ["leaves a CDATA name alone", "<name><![CDATA[a&b]]></name>", "<name><![CDATA[a&b]]></name>"],
    ["leaves CDATA without an end alone", "<![CDATA[& <", "<![CDATA[& <"],
  ];
  for (const [title, from, to] of cases) {
    test(title, () => expect(repairDocument(from)).toBe(to));
  }

  test("is not applied to a well-formed document", () => {
    const root = parseDocument("<monit><server><path>a<b/>c</path></server></monit>");
    expect(root).toEqual({ server: { path: { b: "", "#text": "ac" } } });
  });

  // With work that grows with the square of the length, or faster, this would take many minutes.
  test("ends on a crafted document", () => {
    const attributes = `<service name="a"${'    b="'.repeat(16)}<"/>`;
    for (const piece of [
      '<service name="',
      "<password>",
      "<![CDATA[",
      "&",
      '<service name="a" b="',
      attributes,
    ]) {
      const crafted = piece.repeat(1_000_000 / piece.length);
      expect(repairDocument(crafted).length).toBeGreaterThanOrEqual(crafted.length);
    }
  });
});
