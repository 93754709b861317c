/** Masks secrets in texts from remotes, which may repeat what was sent to them. */
import { webUrl } from "../../platform/net/web-url.ts";

const MASK = "***";
/** Characters. Shorter parts of a secret could be ordinary words. */
const MIN_PART = 8;

/** Parts of a secret that are sensitive on their own: path segments of a URL, the value of a header. */
function partsOf(secret: string): string[] {
  const url = webUrl(secret);
  const text = url ? url.pathname + url.search : secret;
  return text.split(/[\s:/?&=]+/).filter((part) => part.length >= MIN_PART);
}

function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, encodeURIComponent(text), json, Buffer.from(text, "utf8").toString("base64")];
}

/** Replaces every secret in the text, in all its usual encodings. */
export function mask(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, ...partsOf(secret)]).flatMap(formsOf));
  forms.delete("");
  // Longest first: masking a part first would leave the rest of the whole secret readable.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return ordered.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
