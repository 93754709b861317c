import type { GroupList, StatusPage } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { useDialog } from "../ui/use-dialog.ts";

type OpenDialog =
  | { name: "create" }
  | { name: "edit"; page: StatusPage }
  | { name: "share"; page: StatusPage }
  | { name: "delete"; page: StatusPage };

interface DialogProps {
  onClose: (done: boolean) => void;
}

function PageDialog({
  page,
  groups,
  onClose,
}: DialogProps & { page: StatusPage | null; groups: GroupList["groups"] }) {
  const { api } = useMuster();
  const work = useWork();
  const save = async (values: FormData) => {
    const slug = textOf(values, "slug");
    const args = {
      title: textOf(values, "title"),
      groupid: textOf(values, "groupid"),
      services: values.has("services"),
      ...(slug !== "" && { slug }),
    };
    if (page) await api.post("/admin/statuspages/update", { id: page.id, ...args });
    else await api.post("/admin/statuspages/create", args);
    onClose(true);
  };
  return (
    <Dialog title={page ? `Edit ${page.title}` : "New status page"} onClose={() => onClose(false)}>
      <Form work={work} submit={page ? "Save" : "Create"} onSubmit={save} onCancel={() => onClose(false)}>
        <Field
          label="Title"
          name="title"
          defaultValue={page?.title ?? ""}
          required
          maxLength={255}
          autoFocus
        />
        <Select
          label="Hosts of the group"
          name="groupid"
          value={String(page?.groupid ?? "")}
          options={groups.map(({ id, name }) => [String(id), name] as const)}
        />
        <Field
          label="URL path"
          name="slug"
          defaultValue={page?.slug ?? ""}
          hint={
            page
              ? "The old address stops working"
              : "Leave empty for a random one. Lower-case letters, digits and hyphens"
          }
          maxLength={64}
          autoCapitalize="none"
        />
        <Check label="Show the services of each host" name="services" checked={page?.services ?? true} />
      </Form>
    </Dialog>
  );
}

function ShareDialog({ page, onClose }: DialogProps & { page: StatusPage }) {
  const address = `${location.origin}${page.path}`;
  return (
    <Dialog title={`Share ${page.title}`} onClose={() => onClose(false)}>
      <div class="form">
        <p>Anyone with this address can see the page without signing in.</p>
        <Copyable text={address} label="the address" />
        <p>
          A badge for other pages. Add <code>?host=NAME</code> for one host of the group.
        </p>
        <p>
          <img src={`${page.path}/badge.svg`} alt={`Badge of ${page.title}`} height={20} />
        </p>
        <Copyable text={`![status](${address}/badge.svg)`} label="the badge, as Markdown" />
        <div class="form-buttons">
          <button type="button" class="primary" onClick={() => onClose(false)}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function DeleteDialog({ page, onClose }: DialogProps & { page: StatusPage }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={`Delete ${page.title}?`}
      verb="Delete page"
      danger
      act={() => api.post("/admin/statuspages/delete", { id: page.id })}
      onClose={onClose}
    >
      <p>Its address and its badges stop working. The hosts and their group stay.</p>
    </Confirm>
  );
}

const COLUMNS: readonly Column<StatusPage>[] = [
  {
    key: "title",
    label: "Page",
    header: true,
    class: "grow",
    order: (a, b) => a.title.localeCompare(b.title),
    cell: (page) => (
      <a href={page.path} target="_blank" rel="noreferrer">
        {page.title}
      </a>
    ),
  },
  { key: "group", label: "Group", class: "wide", cell: (page) => page.groupname },
  {
    key: "shows",
    label: "Shows",
    class: "wide",
    cell: (page) => (page.services ? "hosts and services" : "hosts"),
  },
];

const controlColumn = (open: (dialog: OpenDialog) => () => void): Column<StatusPage> => ({
  key: "control",
  label: "Actions",
  class: "tight",
  cell: (page) => (
    <span class="controls">
      <button type="button" class="small" onClick={open({ name: "share", page })}>
        Share<span class="sr-only"> {page.title}</span>
      </button>
      <button type="button" class="small" onClick={open({ name: "edit", page })}>
        Edit<span class="sr-only"> {page.title}</span>
      </button>
      <button type="button" class="small" onClick={open({ name: "delete", page })}>
        Delete<span class="sr-only"> {page.title}</span>
      </button>
    </span>
  ),
});

/** Pages that everyone can read who has their address. */
export function StatusPagesScreen() {
  const pages = useResource<{ records: StatusPage[] }>("/admin/statuspages/list");
  const groups = useResource<GroupList>("/admin/groups/list").data.value?.groups ?? [];
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => pages.refresh());
  return (
    <Page
      title="Status pages"
      aside={
        <button
          type="button"
          class="primary"
          onClick={open({ name: "create" })}
          disabled={groups.length === 0}
        >
          <Icon name="plus" />
          New page
        </button>
      }
    >
      <Loaded from={pages}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>
              No page yet. A status page shows the hosts of one group to everyone who has its address, without
              signing in.{groups.length === 0 ? " Make a group first." : ""}
            </Empty>
          ) : (
            <SortedTable
              caption="Status pages"
              columns={[...COLUMNS, controlColumn(open)]}
              rows={records}
              rowKey={(page) => page.id}
              initial={{ key: "title", dir: "asc" }}
            />
          )
        }
      </Loaded>
      {dialog?.name === "create" && <PageDialog page={null} groups={groups} onClose={onClose} />}
      {dialog?.name === "edit" && <PageDialog page={dialog.page} groups={groups} onClose={onClose} />}
      {dialog?.name === "share" && <ShareDialog page={dialog.page} onClose={onClose} />}
      {dialog?.name === "delete" && <DeleteDialog page={dialog.page} onClose={onClose} />}
    </Page>
  );
}
