/** The origin at which a server is reached. @param host name and port */
export function originOf({ secure, host }: { secure: boolean; host: string }): string {
  return `${secure ? "https" : "http"}://${host}`;
}

/** The URL in a text; null unless it is one of http or https. */
export function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url : null;
}
