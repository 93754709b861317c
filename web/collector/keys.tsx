import type { AgentKey, AgentKeyList, GroupList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatNumber } from "../text/format.ts";
import { groupNameIn } from "../text/names.ts";
import { Page } from "../ui/page.tsx";
import { NewButton, RecordTable } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { KeyDialog } from "./key-dialogs.tsx";
import { KEYS } from "./keys.texts.ts";

const LIST_SECONDS = 10;

/** When a key ends, or that it has. */
export function KeyEnd({ ends }: { ends: number | null }) {
  const { now } = useMuster();
  if (ends === null) return null;
  return ends > now.value ? (
    <span class="tag">
      {KEYS.ends} <Time at={ends} />
    </span>
  ) : (
    <span class="tag">{KEYS.ended}</span>
  );
}

function columnsOf(groupName: (id: number) => string): readonly Column<AgentKey>[] {
  const { columns } = KEYS;
  return [
    {
      key: "name",
      label: columns.name,
      header: true,
      class: "grow",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: ({ id, name, ends, oldsecret }) => (
        <>
          <a href={`/keys/${id}`}>{name}</a> <KeyEnd ends={ends} />{" "}
          {oldsecret > 0 && <span class="tag">{KEYS.oldSecrets(oldsecret)}</span>}
        </>
      ),
    },
    {
      key: "groups",
      label: columns.groups,
      class: "wide",
      cell: ({ hostgroups }) => hostgroups.map(groupName).join(", ") || KEYS.anyGroup,
    },
    {
      key: "hosts",
      label: columns.hosts,
      class: "number",
      order: (a, b) => a.hosts - b.hosts,
      cell: ({ hosts }) => formatNumber(hosts, 0),
    },
    {
      key: "used",
      label: columns.used,
      class: "number",
      order: (a, b) => (a.lastused ?? 0) - (b.lastused ?? 0),
      cell: ({ lastused }) => (lastused === null ? KEYS.never : <Time at={lastused} />),
    },
  ];
}

/** The keys with which agents post. */
export function KeysScreen() {
  const keys = useResource<AgentKeyList>("/admin/keys/list", {}, { every: LIST_SECONDS });
  const groups = useResource<GroupList>("/admin/groups/list");
  const { dialog, open, onClose } = useDialog<{ name: "create" }>(() => keys.refresh());
  return (
    <Page title={KEYS.title} aside={<NewButton onClick={open({ name: "create" })}>{KEYS.newKey}</NewButton>}>
      <Loaded from={groups}>
        {(list) => (
          <RecordTable
            from={keys}
            caption={KEYS.caption}
            columns={columnsOf(groupNameIn(list))}
            sortedBy="name"
            none={KEYS.none}
          />
        )}
      </Loaded>
      {dialog && <KeyDialog agentKey={null} onClose={onClose} />}
    </Page>
  );
}
