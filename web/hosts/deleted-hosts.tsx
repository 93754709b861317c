import type { DeletedHost, DeletedHostList } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { wholeNumber } from "../state/router.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Page } from "../ui/page.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { keepFocus, useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { DELETED } from "./deleted-hosts.texts.ts";

const PAGE_SIZE = 50;

/** The host that has the agent now, if there is one. */
function NewHost({ host: { newid, newname } }: { host: DeletedHost }) {
  if (newid === null) return null;
  return (
    <div class="second">
      {DELETED.reportsAs} <a href={`/hosts/${newid}`}>{newname}</a>
    </div>
  );
}

const COLUMNS: readonly Column<DeletedHost>[] = [
  {
    key: "name",
    label: DELETED.columns.name,
    header: true,
    class: "grow",
    cell: (host) => (
      <>
        {host.hostname}
        <NewHost host={host} />
      </>
    ),
  },
  {
    key: "deleted",
    label: DELETED.columns.deleted,
    class: "tight",
    cell: ({ deletedat }) => <Time at={deletedat} />,
  },
  { key: "by", label: DELETED.columns.by, class: "wide", cell: ({ deletedby }) => deletedby },
  {
    key: "until",
    label: DELETED.columns.until,
    class: "tight wide",
    cell: ({ until }) => <Time at={until} />,
  },
];

/** Hosts whose deletion can be undone. */
export function DeletedHostsScreen() {
  const { api, router } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const startindex = wholeNumber(router.address.value.query.get("startindex"));
  const hosts = useResource<DeletedHostList>("/admin/hosts/deleted/list", { results: PAGE_SIZE, startindex });
  const deleting = useDialog<DeletedHost>(() => hosts.refresh(), DELETED.deleted);
  const undo = async ({ id, hostname }: DeletedHost) => {
    const isDone = await work.run(() => api.send("/admin/hosts/deleted/restore", { hosts: [id] }));
    await hosts.refresh();
    if (isDone) notify(DELETED.undone(hostname));
    keepFocus();
  };
  const controls = controlColumn<DeletedHost>((host) => (
    <>
      <RowButton
        label={DELETED.undoOf(host.hostname)}
        onClick={() => void undo(host)}
        disabled={work.busy.value || host.newid !== null}
      >
        {DELETED.undo}
      </RowButton>
      <RowButton label={DELETED.deleteOf(host.hostname)} onClick={deleting.open(host)}>
        {DELETED.deleteForGood}
      </RowButton>
    </>
  ));
  return (
    <Page title={DELETED.title} breadcrumbs={[[DELETED.hosts, "/hosts"]]}>
      <p class="muted">{DELETED.intro}</p>
      <WorkError work={work} />
      <PagedTable
        from={hosts}
        start={startindex}
        size={PAGE_SIZE}
        caption={DELETED.title}
        columns={[...COLUMNS, controls]}
        none={DELETED.none}
      />
      {deleting.dialog && (
        <FormDialog
          title={DELETED.deleteTitle(deleting.dialog.hostname)}
          verb={DELETED.deleteForGood}
          danger
          act={() => api.send("/admin/hosts/deleted/delete", { hosts: [deleting.dialog?.id] })}
          onClose={deleting.onClose}
        >
          <p>{DELETED.deleteText}</p>
        </FormDialog>
      )}
    </Page>
  );
}
