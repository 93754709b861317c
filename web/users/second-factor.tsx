import { useSignal } from "@preact/signals";
import type { RecoveryCodes, SecondFactorSecret, UserDetail } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form, textOf, useWork } from "../ui/form.tsx";
import { Section } from "../ui/page.tsx";
import { QrCode } from "../ui/qr-code.tsx";

/** Steps of enabling a second factor, with what each of them shows. */
type Step =
  | { name: "password" }
  | { name: "secret"; secret: SecondFactorSecret }
  | { name: "codes"; codes: string[] };

function PasswordStep({
  onDone,
  onCancel,
}: {
  onDone: (secret: SecondFactorSecret) => void;
  onCancel: () => void;
}) {
  const { api } = useMuster();
  const work = useWork();
  const begin = async (values: FormData) =>
    onDone(
      await api.post<SecondFactorSecret>("/admin/users/totp/begin", { password: textOf(values, "password") }),
    );
  return (
    <Form work={work} submit="Continue" onSubmit={begin} onCancel={onCancel}>
      <Field
        label="Your password, to confirm"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
      />
    </Form>
  );
}

function SecretStep({
  secret: { secret, uri },
  onDone,
  onCancel,
}: {
  secret: SecondFactorSecret;
  onDone: (codes: string[]) => void;
  onCancel: () => void;
}) {
  const { api } = useMuster();
  const work = useWork();
  const confirm = async (values: FormData) => {
    const reply = await api.post<RecoveryCodes>("/admin/users/totp/confirm", {
      code: textOf(values, "code"),
    });
    onDone(reply.recoverycodes);
  };
  return (
    <Form work={work} submit="Enable" onSubmit={confirm} onCancel={onCancel}>
      <p>Scan this with your authenticator app, or type the secret into it.</p>
      <QrCode text={uri} label="QR code of the secret" />
      <Copyable text={secret} label="the secret" />
      <Field
        label="Code that the app shows now"
        name="code"
        autoComplete="one-time-code"
        required
        maxLength={64}
      />
    </Form>
  );
}

function CodesStep({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <>
      <p>
        Keep these recovery codes where you find them without your phone. Each signs you in once in place of a
        code; they are not shown again.
      </p>
      <Copyable text={codes.join("\n")} label="the recovery codes" />
      <div class="form-buttons">
        <button type="button" class="primary" onClick={onDone}>
          I've saved them
        </button>
      </div>
    </>
  );
}

const TITLES: Readonly<Record<Step["name"], string>> = {
  password: "Enable a second factor",
  secret: "Connect your app",
  codes: "Recovery codes",
};

function SwitchOn({ onClose }: { onClose: (done: boolean) => void }) {
  const step = useSignal<Step>({ name: "password" });
  const now = step.value;
  const go = (next: Step) => {
    step.value = next;
  };
  const cancel = () => onClose(now.name === "codes");
  return (
    <Dialog title={TITLES[now.name]} onClose={cancel} sticky={now.name === "codes"}>
      {now.name === "password" && (
        <PasswordStep onDone={(secret) => go({ name: "secret", secret })} onCancel={cancel} />
      )}
      {now.name === "secret" && (
        <SecretStep secret={now.secret} onDone={(codes) => go({ name: "codes", codes })} onCancel={cancel} />
      )}
      {now.name === "codes" && <CodesStep codes={now.codes} onDone={() => onClose(true)} />}
    </Dialog>
  );
}

function SwitchOff({ onClose }: { onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  const work = useWork();
  const disable = async (values: FormData) => {
    await api.post("/admin/users/totp/disable", { password: textOf(values, "password") });
    onClose(true);
  };
  return (
    <Dialog title="Disable your second factor?" onClose={() => onClose(false)}>
      <Form work={work} submit="Disable" danger onSubmit={disable} onCancel={() => onClose(false)}>
        <p>From then on your password alone signs you in. The recovery codes are gone.</p>
        <Field
          label="Your password, to confirm"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

interface SecondFactorProps {
  from: Resource<UserDetail>;
  user: UserDetail;
}

/** The signed-in user's own second factor: one-time codes of an authenticator app. */
export function OwnSecondFactor({ from, user }: SecondFactorProps) {
  const notify = useNotify();
  const open = useSignal(false);
  const on = user.secondfactor;
  const close = (done: boolean) => {
    open.value = false;
    if (!done) return;
    notify(on ? "Second factor disabled" : "Second factor enabled");
    void from.refresh();
  };
  return (
    <Section
      title="Second factor"
      aside={
        <button
          type="button"
          onClick={() => {
            open.value = true;
          }}
        >
          {on ? "Disable" : "Enable"}
        </button>
      }
    >
      <p>
        {on
          ? "On: after your password, a code of your authenticator app is asked for."
          : "Off: your password alone signs you in. With an authenticator app on your phone, a stolen password is not enough."}
      </p>
      {open.value && (on ? <SwitchOff onClose={close} /> : <SwitchOn onClose={close} />)}
    </Section>
  );
}

/** Lets an administrator disable the second factor of a user who has lost it. */
export function OthersSecondFactor({ from, user }: SecondFactorProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const confirming = useSignal(false);
  return (
    <Section
      title="Second factor"
      aside={
        <button
          type="button"
          onClick={() => {
            confirming.value = true;
          }}
        >
          Disable
        </button>
      }
    >
      <p>On: after the password, a code of an authenticator app is asked for.</p>
      {confirming.value && (
        <Confirm
          title={`Disable the second factor of ${user.uname}?`}
          verb="Disable"
          danger
          act={() => api.post("/admin/users/totp/disable", { uname: user.uname })}
          onClose={(done) => {
            confirming.value = false;
            if (!done) return;
            notify("Second factor disabled");
            void from.refresh();
          }}
        >
          <p>
            For somebody who lost phone and recovery codes. From then on the password alone signs{" "}
            <strong>{user.uname}</strong> in: be sure who is asking.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
