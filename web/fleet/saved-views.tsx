import { useSignal } from "@preact/signals";
import type { SavedViews, ViewTokens } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Copyable } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Form, textOf, useWork } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { fleetChoice } from "./choice.ts";
import { VIEWS } from "./views.texts.ts";
import { addressOf, contentOf, type SavedView } from "./views.ts";

type OpenDialog = { name: "save" } | { name: "rename" | "wall" | "delete"; view: SavedView };

/** The walls of a view, each with a button that ends it. */
function Walls({ view }: { view: SavedView }) {
  const { api } = useMuster();
  const tokens = useResource<ViewTokens>("/admin/views/tokens/list");
  const work = useWork();
  const revoke = (id: number) =>
    work.run(async () => {
      await api.post("/admin/views/tokens/delete", { id });
      await tokens.refresh();
    });
  const columns: readonly Column<ViewTokens["records"][number]>[] = [
    { key: "name", label: VIEWS.columns.wall, header: true, class: "grow", cell: (token) => token.name },
    {
      key: "used",
      label: VIEWS.columns.used,
      cell: ({ lastused }) => (lastused === null ? VIEWS.never : <Time at={lastused} />),
    },
    controlColumn(VIEWS.columns.control, ({ id, name }) => (
      <RowButton label={VIEWS.revokeOf(name)} onClick={() => void revoke(id)}>
        {VIEWS.revoke}
      </RowButton>
    )),
  ];
  return (
    <Loaded from={tokens}>
      {({ records }) => {
        const own = records.filter(({ viewid }) => viewid === view.id);
        return own.length === 0 ? null : (
          <Table caption={VIEWS.walls} columns={columns} rows={own} rowKey={({ id }) => id} />
        );
      }}
    </Loaded>
  );
}

/** Makes a link that shows the view without a user, and lists those there are. */
function WallDialog({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  const link = useSignal<string | null>(null);
  const create = async (values: FormData) => {
    const args = { id: view.id, name: textOf(values, "name") };
    const { token } = await api.post<{ token: string }>("/admin/views/tokens/create", args);
    link.value = `${location.origin}/fleet?kiosk#${token}`;
  };
  return (
    <Dialog title={VIEWS.wallOf(view.name)} onClose={onClose}>
      <p>{VIEWS.wallHint}</p>
      {link.value === null ? (
        <>
          <Walls view={view} />
          <Form work={work} submit={VIEWS.createLink} onSubmit={create} onCancel={onClose}>
            <Field label={VIEWS.wallName} name="name" required maxLength={255} autoFocus />
          </Form>
        </>
      ) : (
        <>
          <p>{VIEWS.copyNow}</p>
          <Copyable text={link.value} label={VIEWS.link} />
          <div class="form-buttons">
            <button type="button" class="primary" onClick={onClose}>
              {VIEWS.done}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** Views of the fleet that have a name, and for administrators the way to save, rename, show and delete them. */
export function SavedViewList() {
  const { api, router, session } = useMuster();
  const isAdmin = session.user.value?.admin === true;
  const views = useResource<SavedViews>("/views/list");
  const { dialog, open, onClose } = useDialog<OpenDialog>(() => views.refresh());
  const choice = fleetChoice(router.address.value.query);
  const records = views.data.value?.records ?? [];
  return (
    <div class="saved-list">
      {records.length > 0 && (
        <ul aria-label={VIEWS.list}>
          {records.map((view) => (
            <li key={view.id}>
              <a href={addressOf(view)}>{view.name}</a>
              {isAdmin && (
                <span class="controls">
                  <button type="button" class="small quiet" onClick={open({ name: "rename", view })}>
                    {VIEWS.rename}
                    <span class="sr-only"> {view.name}</span>
                  </button>
                  <button type="button" class="small quiet" onClick={open({ name: "wall", view })}>
                    {VIEWS.wall}
                    <span class="sr-only"> {view.name}</span>
                  </button>
                  <button type="button" class="small quiet" onClick={open({ name: "delete", view })}>
                    {VIEWS.delete}
                    <span class="sr-only"> {view.name}</span>
                  </button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdmin && (
        <button type="button" class="small" onClick={open({ name: "save" })}>
          {VIEWS.save}
        </button>
      )}
      {dialog?.name === "save" && (
        <NameDialog
          title={VIEWS.save}
          label={VIEWS.name}
          verb={VIEWS.saveVerb}
          act={(name) => api.post("/admin/views/create", { name, ...contentOf(choice) })}
          onClose={onClose}
        />
      )}
      {dialog?.name === "rename" && (
        <NameDialog
          title={VIEWS.renameOf(dialog.view.name)}
          label={VIEWS.name}
          verb={VIEWS.rename}
          name={dialog.view.name}
          act={(name) => api.post("/admin/views/rename", { id: dialog.view.id, name })}
          onClose={onClose}
        />
      )}
      {dialog?.name === "wall" && <WallDialog view={dialog.view} onClose={() => onClose(false)} />}
      {dialog?.name === "delete" && (
        <FormDialog
          title={VIEWS.deleteOf(dialog.view.name)}
          verb={VIEWS.deleteVerb}
          danger
          act={() => api.post("/admin/views/delete", { id: dialog.view.id })}
          onClose={onClose}
        >
          <p>{VIEWS.deleteHint}</p>
        </FormDialog>
      )}
    </div>
  );
}
