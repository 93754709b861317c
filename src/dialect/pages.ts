/** The few HTML pages of the older dialect: for programs that look for them, and for a person who ends up there. */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppContext } from "../http/context.ts";

/** Argument of the login that holds the address asked for before it. */
export const REQUESTED = "z_requested";

function escaped(text: string): string {
  // ASCII only, as the type names no character set.
  return text.replace(/[&<>"']|[^\x20-\x7e]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function html(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Muster</title>
</head>
<body>
<h1>Muster</h1>
${body}
</body>
</html>
`;
}

/**
 * A page. Existing clients compare its type: no character set may be added to it.
 * @param headers those of the error it stands for
 */
export function pageReply(
  c: AppContext,
  body: string,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
): Response {
  return c.body(html(body), status, {
    ...headers,
    "Content-Type": "text/html",
    "Cache-Control": "no-store",
  });
}

/**
 * The form to sign in with.
 * @param message what to say above it
 * @param requested address to go to afterwards
 */
export function loginForm(c: AppContext, message: string, requested = ""): string {
  // Beside the pages of the login, some clients look for the form by its relative address.
  const action = c.req.path.lastIndexOf("/") === 0 ? "z_security_check" : "/z_security_check";
  return `<p>${escaped(message)}</p>
<p>People sign in at <a href="/">the start page</a>; this form is for programs.</p>
<form method="post" action="${action}">
<input type="hidden" name="${REQUESTED}" value="${escaped(requested)}">
<p><label>User name <input name="z_username" autocomplete="username" required></label></p>
<p><label>Password <input name="z_password" type="password" autocomplete="current-password" required></label></p>
<p><button>Sign in</button></p>
</form>`;
}

/** What a client sees that is signed in already. */
export function signedInText(fullname: string): string {
  return `<p>Signed in as ${escaped(fullname)}.</p>
<p><a href="/">Start page</a></p>`;
}
