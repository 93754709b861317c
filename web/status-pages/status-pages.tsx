import type { GroupList, StatusPage } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { commaSeparated } from "../ui/choices.tsx";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog, DoneButton } from "../ui/dialog.tsx";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { Page } from "../ui/page.tsx";
import {
  controlColumn,
  DeleteButton,
  EditButton,
  NewButton,
  RecordTable,
  RowButton,
} from "../ui/record-list.tsx";
import { RECORDS } from "../ui/records.texts.ts";
import { Check, Select } from "../ui/select.tsx";
import { Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { UI } from "../ui/ui.texts.ts";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { savedOrDeleted, useDialog } from "../ui/use-dialog.ts";
import { STATUS_PAGES } from "./status-pages.texts.ts";

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
  const { fields } = STATUS_PAGES;
  const saveChanges = useSaveUnlessChanged("/admin/statuspages/get", page);
  const save = async (values: FormData) => {
    const slug = textOf(values, "slug");
    const args = {
      title: textOf(values, "title"),
      hostgroup: Number(textOf(values, "hostgroup")),
      tags: commaSeparated(values, "tags"),
      services: values.has("services"),
      ...(slug !== "" && { slug }),
    };
    if (page) {
      const update = () => api.send("/admin/statuspages/update", { id: page.id, ...args });
      await saveChanges({ id: page.id }, Object.keys(args), update);
    } else await api.send("/admin/statuspages/create", args);
  };
  return (
    <FormDialog
      title={page ? RECORDS.editOf(page.title) : STATUS_PAGES.createTitle}
      record={page?.id}
      verb={page ? UI.save : STATUS_PAGES.create}
      act={save}
      onClose={onClose}
    >
      <Field
        label={fields.title}
        name="title"
        defaultValue={page?.title ?? ""}
        required
        maxLength={255}
        autoFocus
      />
      <Select
        label={fields.group}
        name="hostgroup"
        value={String(page?.hostgroup ?? "")}
        options={groups.map(({ id, name }) => [String(id), name] as const)}
      />
      <TagField label={fields.tags} name="tags" tags={page?.tags} hint={fields.tagsHint} />
      <Field
        label={fields.path}
        name="slug"
        defaultValue={page?.slug ?? ""}
        hint={page ? fields.pathOfOld : fields.pathOfNew}
        maxLength={64}
        autoCapitalize="none"
      />
      <Check label={fields.services} name="services" checked={page?.services ?? true} />
    </FormDialog>
  );
}

function ShareDialog({ page, onClose }: DialogProps & { page: StatusPage }) {
  const address = `${location.origin}${page.path}`;
  return (
    <Dialog title={STATUS_PAGES.shareTitle(page.title)} onClose={() => onClose(false)}>
      <div class="form">
        <p>{STATUS_PAGES.shareHint}</p>
        <Copyable text={address} label={STATUS_PAGES.address} />
        <p>{STATUS_PAGES.badgeHint}</p>
        <p>
          <img src={`${page.path}/badge.svg`} alt={STATUS_PAGES.badgeOf(page.title)} height={20} />
        </p>
        <Copyable text={`![status](${address}/badge.svg)`} label={STATUS_PAGES.markdown} />
        <DoneButton onClick={() => onClose(false)}>{STATUS_PAGES.done}</DoneButton>
      </div>
    </Dialog>
  );
}

function groupText({ groupname, tags }: StatusPage): string {
  return tags.length === 0 ? groupname : STATUS_PAGES.tagged(groupname, tags.join(", "));
}

/** Poll interval of the list, seconds: the form of a page starts with the record in the list. */
const LIVE_SECONDS = 30;

const COLUMNS: readonly Column<StatusPage>[] = [
  {
    key: "title",
    label: STATUS_PAGES.columns.page,
    header: true,
    class: "grow",
    order: (a, b) => a.title.localeCompare(b.title),
    cell: (page) => (
      <a href={page.path} target="_blank" rel="noreferrer">
        {page.title}
      </a>
    ),
  },
  { key: "group", label: STATUS_PAGES.columns.group, class: "wide", cell: groupText },
  {
    key: "shows",
    label: STATUS_PAGES.columns.shows,
    class: "wide",
    cell: (page) => (page.services ? STATUS_PAGES.hostsAndServices : STATUS_PAGES.hostsOnly),
  },
];

const controls = (open: (dialog: OpenDialog) => () => void) => (page: StatusPage) => (
  <>
    <RowButton label={STATUS_PAGES.shareOf(page.title)} onClick={open({ name: "share", page })}>
      {STATUS_PAGES.share}
    </RowButton>
    <EditButton name={page.title} onClick={open({ name: "edit", page })} />
    <DeleteButton name={page.title} onClick={open({ name: "delete", page })} />
  </>
);

/** Pages that everyone can read who has their address. */
export function StatusPagesScreen() {
  const pages = useResource<{ records: StatusPage[] }>(
    "/admin/statuspages/list",
    {},
    { every: LIVE_SECONDS },
  );
  const groupList = useResource<GroupList>("/admin/groups/list");
  const groups = groupList.data.value?.groups ?? [];
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => pages.refresh(), savedOrDeleted);
  return (
    <Page
      title={STATUS_PAGES.title}
      aside={
        <NewButton onClick={open({ name: "create" })} disabled={groups.length === 0}>
          {STATUS_PAGES.newPage}
        </NewButton>
      }
    >
      <Loaded from={groupList}>
        {() => (
          <RecordTable
            from={pages}
            caption={STATUS_PAGES.caption}
            columns={[...COLUMNS, controlColumn(controls(open))]}
            sortedBy="title"
            none={
              <>
                {STATUS_PAGES.none} {groups.length === 0 && STATUS_PAGES.groupFirst}
              </>
            }
          />
        )}
      </Loaded>
      {dialog?.name === "create" && <PageDialog page={null} groups={groups} onClose={onClose} />}
      {dialog?.name === "edit" && <PageDialog page={dialog.page} groups={groups} onClose={onClose} />}
      {dialog?.name === "share" && <ShareDialog page={dialog.page} onClose={onClose} />}
      {dialog?.name === "delete" && (
        <ConfirmDelete
          operation="/admin/statuspages/delete"
          record={{ id: dialog.page.id, name: dialog.page.title }}
          texts={STATUS_PAGES}
          onClose={onClose}
        >
          <p>{STATUS_PAGES.deleteHint}</p>
        </ConfirmDelete>
      )}
    </Page>
  );
}
