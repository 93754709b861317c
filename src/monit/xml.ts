/** Turns bytes into a tree of elements: decoding, repair of agents' mistakes, strict parsing. */
import { RejectedMessage } from "./rejected-message.ts";

/** An element as Bun.XML parses it: its children by name, attributes as `@name`, and the text as `#text`. */
export type XmlElement = Bun.XML.Element;

/** Deepest nesting of elements, including the root. */
const MAX_DEPTH = 32;

/**
 * Largest document that is repaired or decoded byte by byte; real messages are far smaller. Bytes, or
 * UTF-16 code units once decoded.
 */
const MAX_REPAIRED = 1024 * 1024;

/** Largest document that is repaired on the main thread, which takes 0.1 ms, or 3 ms for a hostile one. */
const REPAIRED_AT_ONCE = 8 * 1024;

/** Thrown instead of starting work that would block the main thread. */
export class TakesLong extends Error {}

/** Decodes whole documents, so it carries no state between calls. Drops a byte order mark. */
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Replaces invalid UTF-8 with U+FFFD. */
const tolerantUtf8 = new TextDecoder("utf-8");

/** One multi-byte UTF-8 sequence, decoded as Latin-1. */
const UTF8_SEQUENCE =
  /[\xC2-\xDF][\x80-\xBF]|\xE0[\xA0-\xBF][\x80-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]{2}|\xED[\x80-\x9F][\x80-\xBF]|\xF0[\x90-\xBF][\x80-\xBF]{2}|[\xF1-\xF3][\x80-\xBF]{3}|\xF4[\x80-\x8F][\x80-\xBF]{2}/g;

/** Characters forbidden in XML 1.0. They occur in program output, which agents pass on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const FORBIDDEN_CHARACTER = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g;

/**
 * Decodes a document as UTF-8 and ignores the encoding it declares. Each byte that is not valid UTF-8 is
 * decoded as Latin-1: agents pass on program output, and a stray byte must not garble names in the rest of
 * the document. Characters forbidden in XML become U+FFFD. The result contains no lone surrogate.
 * @param atOnce throw TakesLong instead of starting slow work
 * @throws TakesLong, only if `atOnce`
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
 * Whether a document is well-formed UTF-8 and so cheap to parse. Control characters do not count as a
 * defect: they are replaced in one pass, and colour codes in program output are common.
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
 * Leaf elements whose text agents do not escape: names, paths and passwords from the control file. Those on
 * the second line are unescaped only before Monit 5.2; later versions send CDATA sections.
 */
const RAW_LEAVES =
  "localhostname|controlfile|address|unixsocket|username|password|hostname|protocol|path|cron|service|name|" +
  "group|request|message|status_message";

/** An `&` that does not begin a reference. */
const STRAY_AMPERSAND = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/g;

/**
 * The places that a repair may change. CDATA sections match first, so that their content is left alone.
 * Lengths are bounded so that a crafted document cannot make the search quadratic.
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

/**
 * An attribute value, optionally followed by more well-formed attributes. Each begins with a quote, which nothing else in it
 * matches: there is one way to match a text, or none.
 */
const WELL_FORMED_ATTRIBUTES = /^[^"<]*(?:"\s+[\w:.-]+="[^"<]*)*$/;

/**
 * Escapes the `&`, `<` and `"` that agents before Monit 6.0 leave unescaped in names, paths and passwords.
 * Use it only on documents that are not well-formed.
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

/** The root element, perhaps after an XML declaration. This excludes a DOCTYPE and thus custom entities. */
const PROLOG = /^\s*(?:<\?xml\s[^<>]*\?>\s*)?<monit[\s/>]/;

/**
 * Parses a decoded document, after a repair if needed, and returns its root element `<monit>`.
 * @param atOnce throw TakesLong instead of starting slow work
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

/**
 * As `parseDocument`, without a repair.
 * @returns null for a document that needs one, and for one that is rejected
 */
export function parseWellFormed(text: string): XmlElement | null {
  try {
    const root = PROLOG.test(text) ? Bun.XML.parse(text).monit : undefined;
    return root === undefined || typeof root === "string" || isDeeper(root, MAX_DEPTH - 1) ? null : root;
  } catch {
    return null;
  }
}

/** Returns null if the document is not well-formed. */
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
