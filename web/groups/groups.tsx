import { useSignal } from "@preact/signals";
import { sortKey } from "../../src/platform/sort-key.ts";
import { MuteButton } from "../alerting/mute-dialog.tsx";
import { groupTarget } from "../alerting/mute-target.ts";
import type { GroupList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatNumber } from "../text/format.ts";
import { withChoice } from "../ui/choices.tsx";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { NameDialog, RenameDialog } from "../ui/name-dialog.tsx";
import { Page } from "../ui/page.tsx";
import { controlColumn, DeleteButton, NewButton, RowButton } from "../ui/record-list.tsx";
import { Check } from "../ui/select.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { savedOrDeleted, useDialog } from "../ui/use-dialog.ts";
import { GROUPS } from "./groups.texts.ts";

type Group = GroupList["groups"][number];
type OpenDialog =
  | { name: "create" }
  | { name: "rename"; group: Group }
  | { name: "delete"; group: Group }
  | { name: "members"; group: Group };

interface DialogProps {
  onClose: (done: boolean) => void;
}

function CreateDialog({ onClose }: DialogProps) {
  const { api } = useMuster();
  return (
    <NameDialog
      title={GROUPS.newGroup}
      label={GROUPS.name}
      verb={GROUPS.create}
      act={(name) => api.post("/admin/groups/create", { name })}
      onClose={onClose}
    />
  );
}

function GroupRenameDialog({ group, onClose }: DialogProps & { group: Group }) {
  const { api } = useMuster();
  return (
    <RenameDialog
      title={GROUPS.renameOf(group.name)}
      label={GROUPS.name}
      verb={GROUPS.rename}
      record={group}
      operation="/admin/groups/list"
      act={(name) => api.post("/admin/groups/update", { id: group.id, name })}
      onClose={onClose}
    />
  );
}

/** The hosts to add and to remove, so that the chosen hosts become the members. */
export function memberChanges(
  now: readonly number[],
  memberIds: ReadonlySet<number>,
): { add: number[]; remove: number[] } {
  const members = new Set(now);
  return {
    add: [...memberIds].filter((id) => !members.has(id)),
    remove: now.filter((id) => !memberIds.has(id)),
  };
}

function MembersDialog({ group, hosts, onClose }: DialogProps & { group: Group; hosts: GroupList["hosts"] }) {
  const { api } = useMuster();
  const text = useSignal("");
  const memberIds = useSignal<ReadonlySet<number>>(new Set(group.hosts));
  const word = sortKey(text.value);
  const save = async () => {
    const { add, remove } = memberChanges(group.hosts, memberIds.peek());
    if (add.length > 0) await api.post("/admin/groups/add", { id: group.id, hostid: add });
    if (remove.length > 0) await api.post("/admin/groups/remove", { id: group.id, hostid: remove });
  };
  return (
    <FormDialog title={GROUPS.membersOf(group.name)} verb={GROUPS.save} act={save} onClose={onClose}>
      <Field
        label={GROUPS.search}
        type="search"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <fieldset class="members">
        <legend>{GROUPS.chosen(memberIds.value.size)}</legend>
        {hosts
          .filter((host) => sortKey(host.name).includes(word))
          .map((host) => (
            <Check
              key={host.id}
              label={host.name}
              checked={memberIds.value.has(host.id)}
              onChange={(isMember) => {
                memberIds.value = withChoice(memberIds.peek(), host.id, isMember);
              }}
            />
          ))}
      </fieldset>
    </FormDialog>
  );
}

/** Code of the range of the uptime report. */
const LAST_MONTH = 101;

const COLUMNS: readonly Column<Group>[] = [
  {
    key: "name",
    label: GROUPS.columns.name,
    header: true,
    class: "grow",
    order: (a, b) => a.name.localeCompare(b.name),
    cell: (group) => <a href={`/hosts?group=${group.id}`}>{group.name}</a>,
  },
  {
    key: "hosts",
    label: GROUPS.columns.hosts,
    class: "number",
    order: (a, b) => a.hosts.length - b.hosts.length,
    cell: (group) => formatNumber(group.hosts.length, 0),
  },
  {
    key: "target",
    label: GROUPS.columns.target,
    class: "number wide",
    order: (a, b) => (a.target ?? -1) - (b.target ?? -1),
    cell: ({ id, target }) =>
      target !== null && <a href={`/uptime?group=${id}&range=${LAST_MONTH}`}>{GROUPS.target(target)}</a>,
  },
];

const controls = (open: (dialog: OpenDialog) => () => void) => (group: Group) => (
  <>
    <MuteButton small target={groupTarget(group)} />
    <RowButton label={GROUPS.hostsOf(group.name)} onClick={open({ name: "members", group })}>
      {GROUPS.hosts}
    </RowButton>
    <RowButton label={GROUPS.renameOf(group.name)} onClick={open({ name: "rename", group })}>
      {GROUPS.rename}
    </RowButton>
    <DeleteButton name={group.name} onClick={open({ name: "delete", group })} />
  </>
);

/** The host groups with their members, for administrators. */
export function GroupsScreen() {
  const groups = useResource<GroupList>("/admin/groups/list");
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => groups.refresh(), savedOrDeleted);
  return (
    <Page
      title={GROUPS.title}
      aside={<NewButton onClick={open({ name: "create" })}>{GROUPS.newGroup}</NewButton>}
    >
      <Loaded from={groups}>
        {(data) => (
          <>
            {data.groups.length === 0 ? (
              <Empty>{GROUPS.none}</Empty>
            ) : (
              <SortedTable
                caption={GROUPS.caption}
                columns={[...COLUMNS, controlColumn(controls(open))]}
                rows={data.groups}
                rowKey={(group) => group.id}
                initial={{ key: "name", dir: "asc" }}
              />
            )}
            {dialog?.name === "create" && <CreateDialog onClose={onClose} />}
            {dialog?.name === "rename" && <GroupRenameDialog group={dialog.group} onClose={onClose} />}
            {dialog?.name === "members" && (
              <MembersDialog group={dialog.group} hosts={data.hosts} onClose={onClose} />
            )}
            {dialog?.name === "delete" && (
              <ConfirmDelete
                operation="/admin/groups/delete"
                record={dialog.group}
                texts={GROUPS}
                onClose={onClose}
              >
                <p>{GROUPS.deleteHint(dialog.group.name, dialog.group.hosts.length)}</p>
              </ConfirmDelete>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}
