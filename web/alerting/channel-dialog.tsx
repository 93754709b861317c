import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { formatNumber, sentence } from "../text/format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import type { Channel, ChannelField, ChannelKind, TestAnswer } from "./types.ts";

const OUTCOMES: Readonly<Record<TestAnswer["outcome"], string>> = {
  sent: "It was taken",
  refused: "It was refused",
  failed: "It could not be sent",
  unknown: "It was sent, and nothing came back",
};

const argumentOf = (field: ChannelField) => `setting.${field.name}`;

function Lines({ field, value }: { field: ChannelField; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      <textarea
        id={id}
        name={argumentOf(field)}
        rows={4}
        defaultValue={value}
        required={field.required}
        aria-describedby={`${id}-hint`}
      />
      <small id={`${id}-hint`} class="hint">
        {sentence(field.doc)}
      </small>
    </div>
  );
}

function Setting({ field, channel }: { field: ChannelField; channel: Channel | null }) {
  const { type, label, required, initial } = field;
  const hint = sentence(field.doc);
  const value = channel?.settings[field.name] ?? initial;
  const name = argumentOf(field);
  if (type === "choice")
    return (
      <Select
        label={label}
        name={name}
        value={value}
        options={field.choices.map((one) => [one, one])}
        hint={hint}
      />
    );
  if (type === "lines") return <Lines field={field} value={value} />;
  if (type !== "secret")
    return <Field label={label} name={name} defaultValue={value} hint={hint} required={required} />;
  const isSet = channel?.secrets.includes(field.name) ?? false;
  return (
    <>
      <Field
        label={label}
        name={name}
        type="password"
        autoComplete="new-password"
        hint={isSet ? `${hint}. One is stored; empty keeps it` : hint}
        required={required && !isSet}
      />
      {isSet && !required && (
        <Check label={`Forget: ${label}`} name={`forget.${field.name}`} checked={false} />
      )}
    </>
  );
}

function Answer({ answer }: { answer: TestAnswer }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [answer]);
  return (
    <div ref={shown} class="answer">
      <p>
        <strong>{OUTCOMES[answer.outcome]}</strong> ({formatNumber(answer.duration, 0)} ms)
      </p>
      <pre class="as-written">{answer.detail || "(no answer)"}</pre>
    </div>
  );
}

interface ChannelDialogProps {
  /** Null for a new one. */
  channel: Channel | null;
  kinds: readonly ChannelKind[];
  onClose: (done: boolean) => void;
}

/** A channel's settings, and a test of them as they stand in the form. */
export function ChannelDialog({ channel, kinds, onClose }: ChannelDialogProps) {
  const { api } = useMuster();
  const work = useWork();
  const testing = useWork();
  const answer = useSignal<TestAnswer | null>(null);
  const usable = kinds.filter(({ available, kind }) => available || kind === channel?.kind);
  const chosen = useSignal(channel?.kind ?? usable[0]?.kind ?? "");
  const kind = kinds.find((one) => one.kind === chosen.value);
  const fields = kind?.fields ?? [];
  const settingsIn = (values: FormData) =>
    Object.fromEntries(fields.map((field) => [argumentOf(field), textOf(values, argumentOf(field))]));
  const save = async (values: FormData) => {
    const forget = fields.filter(({ name }) => values.has(`forget.${name}`)).map(({ name }) => name);
    const args = { name: textOf(values, "name"), enabled: values.has("enabled"), ...settingsIn(values) };
    if (channel) await api.post("/admin/channels/update", { id: channel.id, ...args, forget });
    else await api.post("/admin/channels/create", { kind: chosen.peek(), ...args });
    onClose(true);
  };
  const test = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    const { form } = event.currentTarget;
    if (!form?.reportValidity()) return;
    const which = channel ? { id: channel.id } : { kind: chosen.peek() };
    answer.value = null;
    void testing.run(async () => {
      const args = { ...which, ...settingsIn(new FormData(form)) };
      answer.value = await api.post<TestAnswer>("/admin/channels/test", args);
    });
  };
  return (
    <Dialog title={channel ? `Channel ${channel.name}` : "New channel"} onClose={() => onClose(false)}>
      <Form
        work={work}
        submit={channel ? "Save" : "Create"}
        onSubmit={save}
        onCancel={() => onClose(false)}
        buttons={
          <button type="button" onClick={test} disabled={testing.busy.value}>
            {testing.busy.value ? "Sending..." : "Send a test"}
          </button>
        }
      >
        {!channel && (
          <Select
            label="Kind"
            name="kind"
            value={chosen.value}
            options={usable.map((one) => [one.kind, one.label])}
            onChange={(next) => {
              chosen.value = next;
              answer.value = null;
              testing.problem.value = null;
            }}
          />
        )}
        <Field
          label="Name"
          name="name"
          defaultValue={channel?.name ?? ""}
          required
          maxLength={255}
          autoFocus
        />
        <Check label="In use" name="enabled" checked={channel?.enabled ?? true} />
        {fields.map((field) => (
          <Setting key={`${chosen.value} ${field.name}`} field={field} channel={channel} />
        ))}
        {testing.problem.value && (
          <p class="form-problem" role="alert">
            {testing.problem.value.message}
          </p>
        )}
        {/* There before what it tells, and within the dialog: what lies behind a modal one is not read out. */}
        <div role="status">{answer.value && <Answer answer={answer.value} />}</div>
      </Form>
    </Dialog>
  );
}
