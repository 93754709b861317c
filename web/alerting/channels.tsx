import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted } from "../text/format.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsking } from "../ui/open-dialog.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { ChannelDialog } from "./channel-dialog.tsx";
import type { Channel, ChannelKind, Outcome, Records } from "./types.ts";

type Asking = { what: "create" } | { what: "edit"; channel: Channel } | { what: "delete"; channel: Channel };

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  sent: "sent",
  refused: "refused",
  failed: "failed",
  unknown: "no answer",
};

/** What became of the last attempt of a channel, and of how many in a row before it. */
function LastResult({ channel }: { channel: Channel }) {
  const { lastat, lastoutcome, lastanswer, failures } = channel;
  if (lastat === null || lastoutcome === null) return <span class="muted">none yet</span>;
  return (
    <>
      {OUTCOMES[lastoutcome]} <Time at={lastat} />
      {failures > 0 && (
        <>
          , {counted(failures, "failure")} in a row
          {lastanswer !== "" && <span class="hint"> {lastanswer}</span>}
        </>
      )}
    </>
  );
}

/** The ways out. */
export function Channels() {
  const { api } = useMuster();
  const channels = useResource<Records<Channel>>("/admin/channels/list");
  const kinds = useResource<{ records: ChannelKind[] }>("/admin/channels/kinds");
  const { open, ask, onClose } = useAsking<Asking>(() => channels.refresh());
  const known = kinds.data.value?.records ?? [];
  const labelOf = (kind: string) => known.find((one) => one.kind === kind)?.label ?? kind;
  const columns: readonly Column<Channel>[] = [
    {
      key: "name",
      label: "Channel",
      header: true,
      class: "grow",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: (channel) => (
        <>
          {channel.name} {!channel.enabled && <span class="tag">off</span>}
        </>
      ),
    },
    { key: "kind", label: "Kind", cell: (channel) => labelOf(channel.kind) },
    {
      key: "rules",
      label: "Used by",
      class: "wide",
      cell: (channel) =>
        channel.rules.length === 0 ? (
          <span class="muted">no rule</span>
        ) : (
          counted(channel.rules.length, "rule")
        ),
    },
    {
      key: "last",
      label: "Last message",
      class: "grow",
      cell: (channel) => <LastResult channel={channel} />,
    },
    {
      key: "control",
      label: "Actions",
      class: "tight",
      cell: (channel) => (
        <span class="controls">
          <button type="button" class="small" onClick={ask({ what: "edit", channel })}>
            Change or test<span class="unseen"> {channel.name}</span>
          </button>
          <button type="button" class="small" onClick={ask({ what: "delete", channel })}>
            Delete<span class="unseen"> {channel.name}</span>
          </button>
        </span>
      ),
    },
  ];
  return (
    <>
      <div class="toolbar">
        <button type="button" onClick={ask({ what: "create" })} disabled={known.length === 0}>
          <Icon name="plus" />
          New channel
        </button>
      </div>
      <Loaded from={channels}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>No channel yet. A channel is a way to reach people: e-mail, a messenger, a webhook.</Empty>
          ) : (
            <SortedTable
              caption="Channels"
              columns={columns}
              rows={records}
              rowKey={(channel) => channel.id}
              initial={{ key: "name", dir: "asc" }}
            />
          )
        }
      </Loaded>
      {open?.what === "create" && <ChannelDialog channel={null} kinds={known} onClose={onClose} />}
      {open?.what === "edit" && <ChannelDialog channel={open.channel} kinds={known} onClose={onClose} />}
      {open?.what === "delete" && (
        <Confirm
          title={`Delete ${open.channel.name}?`}
          verb="Delete channel"
          danger
          act={() => api.post("/admin/channels/delete", { id: open.channel.id })}
          onClose={onClose}
        >
          <p>Its settings are lost. What was sent through it stays on the list of deliveries.</p>
        </Confirm>
      )}
    </>
  );
}
