import { useEffect } from "preact/hooks";
import { useMuster } from "../muster.ts";
import { Field, Form, textOf, useWork } from "../parts/form.tsx";

/** The way in, shown in place of any page; afterwards that page is there. */
export function SignIn() {
  const { session } = useMuster();
  const work = useWork();
  useEffect(() => {
    document.title = "Sign in - Muster";
  }, []);
  return (
    <main class="alone">
      <div class="sign-in">
        <h1 class="brand">
          <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d="M4 20V5l8 8 8-8v15" />
          </svg>
          Muster
        </h1>
        {session.expired.value && (
          <p class="notice" role="status">
            Your session has ended. Sign in to go on where you were.
          </p>
        )}
        <Form
          work={work}
          submit="Sign in"
          onSubmit={(values) => session.signIn(textOf(values, "uname"), textOf(values, "password"))}
        >
          <Field
            label="User name"
            name="uname"
            autoComplete="username"
            autoCapitalize="none"
            required
            autoFocus
          />
          <Field label="Password" name="password" type="password" autoComplete="current-password" required />
        </Form>
      </div>
    </main>
  );
}
