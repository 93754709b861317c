/** What far sides say may repeat what they were told, secrets among it. */
const MASK = "***";
/** Shorter parts of a secret could be any word. */
const MIN_PART = 8;

/** Parts by which alone a secret would be given away: of a URL those of its path, of a header its value. */
function partsOf(secret: string): string[] {
  const url = URL.canParse(secret) ? new URL(secret) : null;
  const text = url && /^https?:$/.test(url.protocol) ? url.pathname + url.search : secret;
  return text.split(/[\s:/?&=]+/).filter((part) => part.length >= MIN_PART);
}

function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  return [text, encodeURIComponent(text), json, Buffer.from(text, "utf8").toString("base64")];
}

/** The text without any of the secrets, in whatever usual form it repeats them. */
export function mask(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, ...partsOf(secret)]).flatMap(formsOf));
  forms.delete("");
  // Longest first: a part must not be taken out of the whole.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return ordered.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
