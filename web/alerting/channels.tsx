import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Led } from "../ui/led.tsx";
import { controlColumn, RecordTable, RowButton } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useCreating, useDialog } from "../ui/use-dialog.ts";
import { ChannelDialog } from "./channel-dialog.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelKind, Records } from "./types.ts";

type OpenDialog = { name: "edit"; channel: Channel } | { name: "delete"; channel: Channel };

/** Whether messages get through: how the last attempt ended, and why if it failed. */
function LastResult({ channel }: { channel: Channel }) {
  const { lastat, lastoutcome, lastanswer, failures } = channel;
  if (lastat === null || lastoutcome === null) return <span class="muted">{CHANNELS.noMessage}</span>;
  if (failures === 0)
    return (
      <>
        <Led led={2} text={CHANNELS.outcomes[lastoutcome]} /> <Time at={lastat} />
      </>
    );
  return (
    <>
      <Led led={0} text={CHANNELS.failing(failures)} /> <Time at={lastat} />
      {lastanswer !== "" && <p class="row-text">{lastanswer}</p>}
    </>
  );
}

const NAME_COLUMN: Column<Channel> = {
  key: "name",
  label: CHANNELS.columns.name,
  header: true,
  class: "grow",
  order: (a, b) => a.name.localeCompare(b.name),
  cell: (channel) => (
    <>
      {channel.name} {!channel.enabled && <span class="tag">{CHANNELS.off}</span>}
    </>
  ),
};

const RULES_COLUMN: Column<Channel> = {
  key: "rules",
  label: CHANNELS.columns.rules,
  class: "wide",
  cell: ({ rules }) =>
    rules.length === 0 ? <span class="muted">{CHANNELS.noRule}</span> : CHANNELS.rules(rules.length),
};

const LAST_COLUMN: Column<Channel> = {
  key: "last",
  label: CHANNELS.columns.last,
  class: "grow",
  cell: (channel) => <LastResult channel={channel} />,
};

const controls = (open: (dialog: OpenDialog) => () => void) => (channel: Channel) => (
  <>
    <RowButton label={CHANNELS.editOf(channel.name)} onClick={open({ name: "edit", channel })}>
      {CHANNELS.edit}
    </RowButton>
    <RowButton label={CHANNELS.deleteOf(channel.name)} onClick={open({ name: "delete", channel })}>
      {CHANNELS.delete}
    </RowButton>
  </>
);

/** The channels through which people are notified. */
export function Channels() {
  const channels = useResource<Records<Channel>>("/admin/channels/list");
  const kinds = useResource<{ records: ChannelKind[] }>("/admin/channels/kinds").data.value?.records ?? [];
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => channels.refresh());
  const creating = useCreating(onClose);
  const labelOf = (kind: string) => kinds.find((item) => item.kind === kind)?.label ?? kind;
  const columns: readonly Column<Channel>[] = [
    NAME_COLUMN,
    { key: "kind", label: CHANNELS.columns.kind, class: "wide", cell: (channel) => labelOf(channel.kind) },
    RULES_COLUMN,
    LAST_COLUMN,
    controlColumn(controls(open)),
  ];
  return (
    <>
      <RecordTable
        from={channels}
        caption={CHANNELS.caption}
        columns={columns}
        sortedBy="name"
        none={CHANNELS.none}
      />
      {creating.open && kinds.length > 0 && (
        <ChannelDialog channel={null} kinds={kinds} onClose={creating.close} />
      )}
      {dialog?.name === "edit" && <ChannelDialog channel={dialog.channel} kinds={kinds} onClose={onClose} />}
      {dialog?.name === "delete" && (
        <ConfirmDelete
          operation="/admin/channels/delete"
          record={dialog.channel}
          texts={CHANNELS}
          onClose={onClose}
        >
          <p>{CHANNELS.deleteHint}</p>
        </ConfirmDelete>
      )}
    </>
  );
}
