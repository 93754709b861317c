/** HTML pages outside the UI, such as those of the legacy API and of sign-in with an OpenID provider. */
import { html, raw } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext } from "./context.ts";

/** Escapes text for HTML. The result is ASCII only, since the content type names no character set. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']|[^\x20-\x7e]/gu, (character) => `&#${character.codePointAt(0)};`);
}

/** Headers that keep the address of a page private: no search engine indexes it, and no link passes it on as a referrer. */
export const PRIVATE_ADDRESS = { "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" };

type Html = ReturnType<typeof html>;

/** An HTML document. @param head what it has besides its title */
export function htmlDocument(title: string, head: Html, body: Html): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${head}
</head>
<body>
${body}
</body>
</html>
`);
}

interface PageOptions {
  status?: ContentfulStatusCode;
  headers?: Record<string, string>;
  /** Additional lines of the head. */
  head?: string;
}

/** An HTML response. Existing clients compare its content type exactly: do not add a character set. @param body HTML */
export function htmlReply(c: AppContext, body: string, options: PageOptions = {}): Response {
  const { status = 200, headers = {}, head = "" } = options;
  const main = html`<main>
<h1>Muster</h1>
${raw(body)}
</main>`;
  return c.body(htmlDocument("Muster", raw(head), main), status, {
    ...headers,
    "Content-Type": "text/html",
    "Cache-Control": "no-store",
  });
}
