/** Events are read apart from the rest of their document, which program output may try to confuse. */
import { describe, expect, test } from "bun:test";
import { firstEvent, readEventPart, readFirstPart, withoutEvents } from "../../src/monit/event-part.ts";
import { parseAgentMessage } from "../../src/monit/message.ts";
import { agentXml, programXml } from "../support/agent-messages.ts";

const TEXT = agentXml({ services: [{ name: "app", status: 512 }], event: { service: "app" } });
const bytesOf = (text: string) => Buffer.from(text);
const eventAt = (text: string) => firstEvent(bytesOf(text));

describe("the first event is found", () => {
  test("where it begins", () => {
    expect(eventAt(TEXT)).toBe(TEXT.indexOf("<event>"));
    expect(eventAt(TEXT.replace(/<event>.*<\/event>/s, ""))).toBeNull();
  });

  const HIDING: Record<string, string> = {
    "a CDATA section": "<![CDATA[<event>]]>",
    "a CDATA section that shows another": "<![CDATA[<![CDATA[<event>]]>",
    "a CDATA section with the end of a comment": "<![CDATA[--> <event>]]>",
    "a comment": "<!-- <event> -->",
    "a comment with the end of a CDATA section": "<!-- ]]> <event> -->",
  };
  for (const [name, hiding] of Object.entries(HIDING))
    test(`behind ${name}`, () => {
      const text = TEXT.replace("</services>", `${hiding}${hiding}</services>`);
      expect(eventAt(text)).toBe(text.lastIndexOf("<event>"));
      expect(eventAt(text.replace(/<event>(?!.*<event>).*<\/event>/s, ""))).toBeNull();
    });

  test("nowhere behind a section that does not end, or a declaration", () => {
    for (const begin of ["<![CDATA[", "<!-- ", "<!DOCTYPE monit>"])
      expect(eventAt(TEXT.replace("<platform>", `${begin}<platform>`))).toBeNull();
  });
});

test("both parts say what the whole document does", () => {
  const output = "<event><message>none</message></event></monit>";
  const text = agentXml({
    services: [{ name: "backup", type: 7, body: programXml({ output }) }],
    event: { service: "backup", message: "a ]]> b <event> c" },
  });
  const at = eventAt(text) ?? 0;
  expect(text.slice(at)).toStartWith("<event><collected_sec>");
  const first = readFirstPart(withoutEvents(bytesOf(text), at));
  const part = readEventPart(bytesOf(text), at);
  expect(part?.events).toHaveLength(1);
  expect({ ...first, ...part } as object).toEqual(parseAgentMessage(bytesOf(text)));
});

describe("only the whole document can be read", () => {
  const isSecondPart = (text: string) => readEventPart(bytesOf(text), eventAt(text) ?? 0) !== null;
  const CASES: Record<string, string> = {
    "if something else follows an event": TEXT.replace("</monit>", "<hostgroups></hostgroups></monit>"),
    "if a name in the event is not escaped": TEXT.replace(/<event>(.*)<service>/s, "<event>$1<service>a & "),
    "if it goes on behind its end": `${TEXT}<monit></monit>`,
    "if the event does not end": TEXT.replace("</event>", ""),
    "if it is nested too deep": TEXT.replace("</event>", `${"<x>".repeat(31)}${"</x>".repeat(31)}</event>`),
  };
  for (const [name, text] of Object.entries(CASES))
    test(name, () => {
      expect(isSecondPart(TEXT)).toBe(true);
      expect(isSecondPart(text)).toBe(false);
    });

  test("if the first part needs a repair, or holds events of another form", () => {
    const isFirstPart = (text: string) =>
      readFirstPart(withoutEvents(bytesOf(text), eventAt(text) ?? 0)) !== null;
    expect(isFirstPart(TEXT)).toBe(true);
    expect(isFirstPart(TEXT.replace('name="app"', 'name="a & b"'))).toBe(false);
    expect(isFirstPart(TEXT.replace("<event>", "<event ><type>3</type></event><event>"))).toBe(false);
  });
});
