/** The few HTML pages of the older dialect: for programs that look for them, and for a person who ends up there. */
import type { AppContext } from "../../platform/http/context.ts";
import { escaped } from "../../platform/http/page.ts";

/** Argument of the login that holds the address asked for before it. */
export const REQUESTED = "z_requested";

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
<p><label>Code, if you have a second factor <input name="z_totp" autocomplete="one-time-code"></label></p>
<p><button>Sign in</button></p>
</form>`;
}

/** What a client sees that is signed in already. */
export function signedInText(fullname: string): string {
  return `<p>Signed in as ${escaped(fullname)}.</p>
<p><a href="/">Start page</a></p>`;
}
