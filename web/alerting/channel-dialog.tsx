import { useSignal } from "@preact/signals";
import { useMuster } from "../state/muster.ts";
import { Check, Field, Select, textOf, WorkError } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ChannelSetting, settingArguments } from "./channel-fields.tsx";
import { Answer, TestButton, useChannelTest } from "./channel-test.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelField, ChannelKind } from "./types.ts";

interface ChannelDialogProps {
  /** Null for a new one. */
  channel: Channel | null;
  kinds: readonly ChannelKind[];
  onClose: (done: boolean) => void;
}

interface KindChoiceProps {
  kind: string;
  kinds: readonly ChannelKind[];
  onChange: (kind: string) => void;
}

function KindChoice({ kind, kinds, onChange }: KindChoiceProps) {
  const options = kinds.map((one) => [one.kind, one.label] as const);
  return <Select label={CHANNELS.kind} name="kind" value={kind} options={options} onChange={onChange} />;
}

const channelArguments = (fields: readonly ChannelField[], values: FormData) => ({
  name: textOf(values, "name"),
  enabled: values.has("enabled"),
  ...settingArguments(fields, values),
});

const forgottenSecrets = (fields: readonly ChannelField[], values: FormData) =>
  fields.filter(({ name }) => values.has(`forget.${name}`)).map(({ name }) => name);

/** The settings of a channel, and a test of them as they stand in the form. */
export function ChannelDialog({ channel, kinds, onClose }: ChannelDialogProps) {
  const { api } = useMuster();
  const test = useChannelTest(channel);
  const usable = kinds.filter(({ available, kind }) => available || kind === channel?.kind);
  const chosen = useSignal(channel?.kind ?? usable[0]?.kind ?? "");
  const kind = kinds.find((one) => one.kind === chosen.value);
  const fields = kind?.fields ?? [];
  const save = async (values: FormData) => {
    const args = channelArguments(fields, values);
    const forget = forgottenSecrets(fields, values);
    if (channel) await api.post("/admin/channels/update", { id: channel.id, ...args, forget });
    else await api.post("/admin/channels/create", { kind: chosen.peek(), ...args });
  };
  return (
    <FormDialog
      title={channel ? CHANNELS.title(channel.name) : CHANNELS.newChannel}
      verb={channel ? CHANNELS.save : CHANNELS.create}
      act={save}
      onClose={onClose}
      buttons={<TestButton test={test} kind={kind} />}
    >
      {!channel && (
        <KindChoice
          kind={chosen.value}
          kinds={usable}
          onChange={(next) => {
            chosen.value = next;
            test.reset();
          }}
        />
      )}
      <Field
        label={CHANNELS.name}
        name="name"
        defaultValue={channel?.name ?? ""}
        required
        maxLength={255}
        autoFocus
      />
      <Check label={CHANNELS.enabled} name="enabled" checked={channel?.enabled ?? true} />
      {fields.map((field) => (
        <ChannelSetting key={`${chosen.value} ${field.name}`} field={field} channel={channel} />
      ))}
      <WorkError work={test.work} />
      {/* Within the dialog, because screen readers ignore what lies behind a modal one. */}
      <div role="status">{test.answer && <Answer answer={test.answer} />}</div>
    </FormDialog>
  );
}
