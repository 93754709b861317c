import { useSignal } from "@preact/signals";
import type { RecoveryCodes, SecondFactorSecret } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog, DoneButton } from "../ui/dialog.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { Section } from "../ui/page.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork } from "../ui/work.tsx";
import { CurrentPassword } from "./current-password.tsx";
import type { UserFormProps } from "./user-form.tsx";
import { SECOND_FACTOR, USER } from "./users.texts.ts";

/** Steps of enabling a second factor, with the data that each shows. */
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
    <Form work={work} submit={SECOND_FACTOR.next} onSubmit={begin} onCancel={onCancel}>
      <CurrentPassword label={USER.confirmPassword} autoFocus />
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
    <Form work={work} submit={SECOND_FACTOR.enable} onSubmit={confirm} onCancel={onCancel}>
      <p>{SECOND_FACTOR.scan}</p>
      <QrCode text={uri} label={SECOND_FACTOR.qrCode} />
      <Copyable text={secret} label={SECOND_FACTOR.secret} />
      <Field label={SECOND_FACTOR.code} name="code" autoComplete="one-time-code" required maxLength={64} />
    </Form>
  );
}

function CodesStep({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <>
      <p>{SECOND_FACTOR.keepCodes}</p>
      <Copyable text={codes.join("\n")} label={SECOND_FACTOR.codes} />
      <DoneButton onClick={onDone}>{SECOND_FACTOR.saved}</DoneButton>
    </>
  );
}

function SwitchOn({ onClose }: { onClose: (done: boolean) => void }) {
  const step = useSignal<Step>({ name: "password" });
  const now = step.value;
  const go = (next: Step) => {
    step.value = next;
  };
  const cancel = () => onClose(now.name === "codes");
  return (
    <Dialog title={SECOND_FACTOR.steps[now.name]} onClose={cancel} sticky={now.name === "codes"}>
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
  const disable = async (values: FormData) => {
    await api.post("/admin/users/totp/disable", { password: textOf(values, "password") });
  };
  return (
    <FormDialog
      title={SECOND_FACTOR.disableTitle}
      verb={SECOND_FACTOR.disable}
      danger
      act={disable}
      onClose={onClose}
    >
      <p>{SECOND_FACTOR.disableHint}</p>
      <CurrentPassword label={USER.confirmPassword} autoFocus />
    </FormDialog>
  );
}

/** The signed-in user's own second factor: one-time codes of an authenticator app. */
export function OwnSecondFactor({ from, user }: UserFormProps) {
  const on = user.secondfactor;
  const changed = on ? SECOND_FACTOR.disabled : SECOND_FACTOR.enabled;
  const { dialog, open, onClose } = useDialog(() => from.refresh(), changed);
  return (
    <Section
      title={SECOND_FACTOR.title}
      aside={
        <button type="button" onClick={open({})}>
          {on ? SECOND_FACTOR.disable : SECOND_FACTOR.enable}
        </button>
      }
    >
      <p>{on ? SECOND_FACTOR.on : SECOND_FACTOR.off}</p>
      {dialog && (on ? <SwitchOff onClose={onClose} /> : <SwitchOn onClose={onClose} />)}
    </Section>
  );
}

/** Lets an administrator disable the second factor of a user who has lost it. */
export function OthersSecondFactor({ from, user }: UserFormProps) {
  const { api } = useMuster();
  const { dialog, open, onClose } = useDialog(() => from.refresh(), SECOND_FACTOR.disabled);
  return (
    <Section
      title={SECOND_FACTOR.title}
      aside={
        <button type="button" onClick={open({})}>
          {SECOND_FACTOR.disable}
        </button>
      }
    >
      <p>{SECOND_FACTOR.othersOn}</p>
      {dialog && (
        <FormDialog
          title={SECOND_FACTOR.disableOthersTitle(user.uname)}
          verb={SECOND_FACTOR.disable}
          danger
          act={() => api.post("/admin/users/totp/disable", { uname: user.uname })}
          onClose={onClose}
        >
          <p>{SECOND_FACTOR.disableOthersHint(user.uname)}</p>
        </FormDialog>
      )}
    </Section>
  );
}
