/** The HTML pages of the legacy API, for programs that expect them and people who end up there. */
import type { AppContext } from "../../platform/http/context.ts";
import { escaped } from "../../platform/http/page.ts";

/** Argument of the login that holds the address requested before it. */
export const REQUESTED = "z_requested";

/** The login form, below a message. @param requested address to go to after login */
export function loginForm(c: AppContext, message: string, requested = ""): string {
  // Some clients look for the form by its relative address.
  const action = c.req.path.lastIndexOf("/") === 0 ? "z_security_check" : "/z_security_check";
  return `<p>${escaped(message)}</p>
<p>People sign in at <a href="/">the start page</a>; this form is for programs.</p>
<form method="post" action="${action}">
<input type="hidden" name="${REQUESTED}" value="${escaped(requested)}">
<p><label>User name <input name="z_username" autocomplete="username" required></label></p>
<p><label>Password <input name="z_password" type="password" autocomplete="current-password" required></label></p>
<p><label>Code, if you have a second factor <input name="z_totp" autocomplete="one-time-code"></label></p>
<p><button>Sign in</button></p>
</form>`;
}

/** The page for a client that is signed in already. */
export function signedInText(fullname: string): string {
  return `<p>Signed in as ${escaped(fullname)}.</p>
<p><a href="/">Start page</a></p>`;
}
