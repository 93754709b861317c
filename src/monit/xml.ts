/** From the bytes of an agent to a tree of elements: decoding, repair of what agents get wrong, and strict parsing. */
import { RejectedMessage } from "./rejected-message.ts";

export type XmlElement = Bun.XML.Element;

/** Elements within elements, the root included. */
const MAX_DEPTH = 32;

/**
 * Longest document that is repaired, and of which stray bytes are looked at one by one; what agents send is far shorter.
 * UTF-16 units, or bytes.
 */
const MAX_REPAIRED = 1024 * 1024;

/** A repair of so many takes 3 ms, when the document is made to take long; an ordinary one 0.1 ms. */
const REPAIRED_AT_ONCE = 8 * 1024;

/** Thrown instead of beginning what would keep everything else waiting. */
export class TakesLong extends Error {}

/** Stateless: whole documents only. A byte order mark is dropped. */
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Puts U+FFFD in place of what is no UTF-8. */
const tolerantUtf8 = new TextDecoder("utf-8");

/** One multi-byte UTF-8 sequence, seen as Latin-1. */
const UTF8_SEQUENCE =
  /[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}|\xED[\x80-\x9F][\x80-\xBF]|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2}/g;

/** What XML 1.0 does not allow at all: programs print it, and agents pass it on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const FORBIDDEN_CHARACTER = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g;

/**
 * Decodes a document; the encoding it declares is not believed. Bytes that are no UTF-8 are read as Latin-1, one by one,
 * because an agent passes on what programs print: a stray byte must not garble the names in the rest of the document.
 * Characters forbidden in XML become U+FFFD. Never gives a lone surrogate.
 * @param atOnce whether nothing may take long @throws TakesLong, and only then
 */
export function decodeDocument(bytes: Uint8Array, atOnce = false): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    if (atOnce && bytes.byteLength > REPAIRED_AT_ONCE) throw new TakesLong();
    if (bytes.byteLength > MAX_REPAIRED) return withoutForbidden(tolerantUtf8.decode(bytes));
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
    text = latin1.replace(UTF8_SEQUENCE, (sequence) => Buffer.from(sequence, "latin1").toString("utf8"));
  }
  return withoutForbidden(text);
}

function withoutForbidden(text: string): string {
  return text.replace(FORBIDDEN_CHARACTER, "\uFFFD");
}

/**
 * Whether a document is UTF-8 and well-formed, so that it takes little time to parse. Control characters are no reason to
 * repair it: replacing them is one pass, and agents pass on programs' colours in every message.
 */
export function needsNoRepair(bytes: Uint8Array): boolean {
  try {
    Bun.XML.parse(withoutForbidden(utf8.decode(bytes)));
    return true;
  } catch {
    return false;
  }
}

/**
 * Leaves that agents write without escaping: names, paths and passwords of the control file. The second line is of
 * agents before 5.2, later ones send these as CDATA sections.
 */
const RAW_LEAVES =
  "localhostname|controlfile|address|unixsocket|username|password|hostname|protocol|path|cron|service|name|" +
  "group|request|message|status_message";

/** An `&` that begins no reference. */
const STRAY_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/g;

/**
 * What a repair looks at. CDATA sections come first so that nothing within them is touched. Lengths are bounded, for a
 * crafted document must not make the search quadratic.
 */
const REPAIRABLE = new RegExp(
  [
    String.raw`<!\[CDATA\[.*?(?:\]\]>|$)`,
    String.raw`<(?<tag>service|servicegroup) name="(?<value>(?:(?!"\/?>).){0,1024})"(?<close>\/?>)`,
    String.raw`<(?<leaf>${RAW_LEAVES})>(?!<!\[CDATA\[)(?<text>.{0,1024}?)</\k<leaf>>`,
    STRAY_AMPERSAND.source,
  ].join("|"),
  "gs",
);

/** An attribute's value followed by nothing, or by further well-formed attributes. */
const WELL_FORMED_ATTRIBUTES = /^[^"<]*(?:"(?:\s+[\w:.-]+="[^"<]*)+)?$/;

/**
 * Escapes the `&`, `<` and `"` that agents before Monit 6.0 leave bare in names, paths and passwords. Only for documents
 * that are ill-formed as they are. A numeric reference counts as bare: no agent writes one.
 */
export function repairDocument(text: string): string {
  return text.replace(REPAIRABLE, (match, ...rest) => {
    const groups = rest.at(-1) as Record<"tag" | "value" | "close" | "leaf" | "text", string | undefined>;
    if (groups.tag !== undefined) {
      const value = (groups.value ?? "").replace(STRAY_AMPERSAND, "&amp;");
      const escaped = WELL_FORMED_ATTRIBUTES.test(value)
        ? value
        : value.replaceAll("<", "&lt;").replaceAll('"', "&quot;");
      return `<${groups.tag} name="${escaped}"${groups.close}`;
    }
    if (groups.leaf !== undefined) {
      const escaped = (groups.text ?? "").replace(STRAY_AMPERSAND, "&amp;").replaceAll("<", "&lt;");
      return `<${groups.leaf}>${escaped}</${groups.leaf}>`;
    }
    return match === "&" ? "&amp;" : match;
  });
}

/** An optional XML declaration, then the root element at once: no room for a DOCTYPE, and so for entities. */
const PROLOG = /^\s*(?:<\?xml\s[^<>]*\?>\s*)?<monit[\s/>]/;

/**
 * Gives the root element `<monit>` of a decoded document.
 * @param atOnce whether nothing may take long
 * @throws RejectedMessage; TakesLong
 */
export function parseDocument(text: string, atOnce = false): XmlElement {
  if (!PROLOG.test(text)) {
    throw new RejectedMessage(
      /^.{0,1024}<!DOCTYPE/is.test(text)
        ? "A document with a DOCTYPE is not allowed."
        : "The document must begin with the element monit.",
    );
  }
  const asItIs = parsed(text);
  if (asItIs === null && atOnce && text.length > REPAIRED_AT_ONCE) throw new TakesLong();
  if (asItIs === null && text.length > MAX_REPAIRED)
    throw new RejectedMessage(`A document of more than ${MAX_REPAIRED} characters must be well-formed XML.`);
  const root = (asItIs ?? parsed(repairDocument(text)))?.monit;
  if (root === undefined) throw new RejectedMessage("The document must be well-formed XML.");
  if (typeof root === "string") throw new RejectedMessage("Element monit must hold further elements.");
  if (isDeeper(root, MAX_DEPTH - 1)) throw tooDeep();
  return root;
}

/** Null for an ill-formed document. */
function parsed(text: string): Bun.XML.Document | null {
  try {
    return Bun.XML.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw tooDeep();
  }
}

function tooDeep(): RejectedMessage {
  return new RejectedMessage(`Elements may be nested at most ${MAX_DEPTH} deep.`);
}

function isDeeper(value: Bun.XML.Value | Bun.XML.Value[], levels: number): boolean {
  if (typeof value === "string") return false;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels));
  for (const name in value) {
    const child = value[name];
    if (child === undefined || name.startsWith("@") || name === "#text") continue;
    if (levels === 0 || isDeeper(child, levels - 1)) return true;
  }
  return false;
}
