import { useResource } from "../state/polled-resource.ts";
import { Led } from "../ui/led.tsx";
import { RecordList, RowButton } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ChannelDialog } from "./channel-dialog.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelKind, Records } from "./types.ts";

const LIVE_SECONDS = 30;

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

/** The channels through which people are notified. */
export function Channels() {
  const channels = useResource<Records<Channel>>("/admin/channels/list", {}, { every: LIVE_SECONDS });
  const kinds = useResource<Records<ChannelKind>>("/admin/channels/kinds");
  const columnsOf = (labels: ReadonlyMap<string, string>): readonly Column<Channel>[] => [
    NAME_COLUMN,
    {
      key: "kind",
      label: CHANNELS.columns.kind,
      class: "wide",
      cell: ({ kind }) => labels.get(kind) ?? kind,
    },
    RULES_COLUMN,
    LAST_COLUMN,
  ];
  return (
    <Loaded from={kinds}>
      {({ records }) => (
        <RecordList
          path="/admin/channels"
          from={channels}
          caption={CHANNELS.caption}
          columns={columnsOf(new Map(records.map(({ kind, label }) => [kind, label])))}
          none={CHANNELS.none}
          buttons={({ name }, edit) => (
            <RowButton label={CHANNELS.editOf(name)} onClick={edit}>
              {CHANNELS.edit}
            </RowButton>
          )}
          form={(channel, onClose) => <ChannelDialog channel={channel} kinds={records} onClose={onClose} />}
          texts={CHANNELS}
          deleteHint={() => CHANNELS.deleteHint}
        />
      )}
    </Loaded>
  );
}
