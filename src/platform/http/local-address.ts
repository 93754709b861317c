/** A redirect target as a path of this server with its query; null when it leads to another site. */
export function localPath(requested: string): URL | null {
  // Parsed as a browser does: it drops tabs and line ends, and treats "\" as "/".
  const origin = "http://here.invalid";
  if (!requested.startsWith("/") || !URL.canParse(requested, origin)) return null;
  const url = new URL(requested, origin);
  return url.origin === origin && !url.pathname.startsWith("//") ? url : null;
}
