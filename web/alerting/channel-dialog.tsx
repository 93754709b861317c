import { useSignal } from "@preact/signals";
import { RecordDialog } from "../ui/record-dialog.tsx";
import { Select } from "../ui/select.tsx";
import { WorkError } from "../ui/work.tsx";
import { ChannelSettings, settingsIn } from "./channel-fields.tsx";
import { Answer, TestButton, useChannelTest } from "./channel-test.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelKind } from "./types.ts";

interface ChannelDialogProps {
  /** Null for a new channel. */
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
  const options = kinds.map((kind) => [kind.kind, kind.label] as const);
  return <Select label={CHANNELS.kind} name="kind" value={kind} options={options} onChange={onChange} />;
}

/** The settings of a channel, with a test of the settings in the form. */
export function ChannelDialog({ channel, kinds, onClose }: ChannelDialogProps) {
  const test = useChannelTest(channel);
  const usable = kinds.filter(({ available, kind }) => available || kind === channel?.kind);
  const kindName = useSignal(channel?.kind ?? usable[0]?.kind ?? "");
  const kind = kinds.find((item) => item.kind === kindName.value);
  const fields = kind?.fields ?? [];
  const args = (values: FormData) => ({
    ...(!channel && { kind: kindName.peek() }),
    settings: settingsIn(fields, values),
  });
  const kindChoice = !channel && (
    <KindChoice
      kind={kindName.value}
      kinds={usable}
      onChange={(next) => {
        kindName.value = next;
        test.reset();
      }}
    />
  );
  return (
    <RecordDialog
      path="/admin/channels"
      record={channel}
      texts={CHANNELS}
      args={args}
      onClose={onClose}
      buttons={<TestButton test={test} kind={kind} />}
      first={kindChoice}
    >
      <ChannelSettings key={kindName.value} fields={fields} channel={channel} />
      <WorkError work={test.work} />
      {/* Within the dialog, because screen readers ignore what lies behind a modal one. */}
      <div role="status">{test.answer && <Answer answer={test.answer} />}</div>
    </RecordDialog>
  );
}
