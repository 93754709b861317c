/** The URL in a text; null unless it is one of http or https. */
export function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}
