import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { asApiError } from "../api/client.ts";
import type { LoginMethods } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { CurrentPassword } from "./current-password.tsx";
import { SIGN_IN } from "./sign-in.texts.ts";

/** Name and password, and the one-time code once the service asks for that of this user. */
function PasswordForm() {
  const { session } = useMuster();
  const work = useWork();
  const uname = useSignal("");
  /** The user whose code the service asks for. */
  const askedOf = useSignal<string | null>(null);
  const wantsCode = askedOf.value === uname.value;
  const container = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (wantsCode) container.current?.querySelector<HTMLInputElement>('input[name="code"]')?.focus();
  }, [wantsCode]);
  const signIn = async (values: FormData) => {
    try {
      await session.signIn(textOf(values, "uname"), textOf(values, "password"), textOf(values, "code"));
    } catch (error) {
      if (asApiError(error).code !== "login.totp_required") throw error;
      // A browser may have filled the name in without an input event.
      uname.value = textOf(values, "uname");
      askedOf.value = uname.value;
    }
  };
  return (
    <div ref={container}>
      <Form work={work} submit={SIGN_IN.title} guarded={false} onSubmit={signIn}>
        <Field
          label={SIGN_IN.userName}
          name="uname"
          autoComplete="username"
          autoCapitalize="none"
          required
          autoFocus
          onInput={(event) => {
            uname.value = event.currentTarget.value;
          }}
        />
        <CurrentPassword label={SIGN_IN.password} />
        {wantsCode && (
          <Field
            label={SIGN_IN.code}
            hint={SIGN_IN.codeHint}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            required
            maxLength={64}
          />
        )}
      </Form>
    </div>
  );
}

/** Sign-in by external authentication: an OpenID provider or a reverse proxy. */
function ExternalSignIn() {
  const { session, router } = useMuster();
  const work = useWork();
  const methods = useSignal<LoginMethods | null>(null);
  const { path, query } = router.address.value;
  const throughProxy = () => work.run(() => session.signInThroughProxy());
  useEffect(
    () =>
      void session.methods().then(
        (reply) => {
          methods.value = reply;
          // The proxy has authenticated the user already. After a sign-out, the user has to press the button.
          if (reply.proxy && !session.signedOutHere) void throughProxy();
        },
        // The password form reports the failure as soon as it is used.
        () => undefined,
      ),
    [],
  );
  const { oidc = null, proxy = null } = methods.value ?? {};
  const next = query.size > 0 ? `${path}?${query}` : path;
  return (
    <>
      {oidc && (
        <a class="button other" href={`/login/oidc?next=${encodeURIComponent(next)}`}>
          {SIGN_IN.withProvider(oidc.name)}
        </a>
      )}
      {proxy && (
        <button type="button" class="other" disabled={work.busy.value} onClick={() => void throughProxy()}>
          {SIGN_IN.continueAs(proxy.uname)}
        </button>
      )}
      <WorkError work={work} />
    </>
  );
}

/** Shown instead of every page while nobody is signed in. After the sign-in, the page appears. */
export function SignIn() {
  const { session } = useMuster();
  useEffect(() => {
    document.title = SIGN_IN.pageTitle;
  }, []);
  return (
    <main class="alone">
      <div class="sign-in">
        <h1 class="brand">
          <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <path d="M4 20V5l8 8 8-8v15" />
          </svg>
          {SIGN_IN.product}
        </h1>
        {session.expired.value && (
          <p class="notice" role="status">
            {SIGN_IN.expired}
          </p>
        )}
        <PasswordForm />
        <ExternalSignIn />
      </div>
    </main>
  );
}
