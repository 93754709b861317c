import { useSignal } from "@preact/signals";
import type { TargetedEvent } from "preact";
import type { SavedViews, ViewTokens } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { CheckboxGroup } from "../ui/choices.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Dialog, DoneButton } from "../ui/dialog.tsx";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { SavedButton, SavedList } from "../ui/saved-list.tsx";
import { Loaded, Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { fleetChoice } from "./choice.ts";
import { type FleetMetric, COMMON as OFFERED } from "./metrics.ts";
import { VIEWS } from "./views.texts.ts";
import { addressOf, contentOf, metricOfView, type SavedView } from "./views.ts";

/** The walls that show a view, each with a button that revokes its link. */
function Walls({ view }: { view: SavedView }) {
  const { api } = useMuster();
  const tokens = useResource<ViewTokens>("/views/tokens/list");
  const work = useWork();
  const revoke = (id: number) =>
    work.run(async () => {
      await api.post("/views/tokens/delete", { id });
      await tokens.refresh();
    });
  const columns: readonly Column<ViewTokens["records"][number]>[] = [
    { key: "name", label: VIEWS.columns.wall, header: true, class: "grow", cell: (token) => token.name },
    {
      key: "used",
      label: VIEWS.columns.used,
      cell: ({ lastused }) => (lastused === null ? VIEWS.never : <Time at={lastused} />),
    },
    controlColumn(({ id, name }) => (
      <RowButton label={VIEWS.revokeOf(name)} onClick={() => void revoke(id)}>
        {VIEWS.revoke}
      </RowButton>
    )),
  ];
  return (
    <>
      <WorkError work={work} />
      <Loaded from={tokens}>
        {({ records }) => {
          const rows = records.filter(({ viewid }) => viewid === view.id);
          return rows.length === 0 ? null : (
            <Table caption={VIEWS.walls} columns={columns} rows={rows} rowKey={({ id }) => id} />
          );
        }}
      </Loaded>
    </>
  );
}

/** The further metrics by which walls rank the hosts of a view. A choice is saved at once. */
function Rankings({ view }: { view: SavedView }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const viewKey = metricOfView(view).key;
  // A ranking that is not offered here stays.
  const notOffered = view.rankings.filter((ranking) => !OFFERED.includes(metricOfView(ranking)));
  const chosenIn = (frame: HTMLElement) => {
    const checked = [...frame.querySelectorAll<HTMLInputElement>("input:checked")];
    return OFFERED.filter(({ key }) => checked.some(({ value }) => value === key));
  };
  const save = ({ currentTarget: frame }: TargetedEvent<HTMLDivElement>) => {
    void work.run(async () => {
      let selection: readonly FleetMetric[];
      // Repeat if another choice was made while saving.
      do {
        selection = chosenIn(frame);
        const rankings = selection.map(({ types, descriptor = "" }) => ({ statistics: types, descriptor }));
        await api.send("/views/update", { id: view.id, rankings: [...notOffered, ...rankings] });
      } while (String(selection.map(({ key }) => key)) !== String(chosenIn(frame).map(({ key }) => key)));
      notify(VIEWS.rankingsSaved);
    });
  };
  return (
    <div class="form spaced" onChange={save}>
      <CheckboxGroup
        legend={VIEWS.rankings}
        name="ranking"
        options={OFFERED.filter(({ key }) => key !== viewKey).map(({ key, text }) => [key, text] as const)}
        chosen={view.rankings.map((ranking) => metricOfView(ranking).key)}
        hint={VIEWS.rankingsHint}
      />
      <WorkError work={work} />
    </div>
  );
}

/** Creates a link that shows the view without a user, and lists existing ones. */
function WallDialog({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  const link = useSignal<string | null>(null);
  const create = async (values: FormData) => {
    const args = { id: view.id, name: textOf(values, "name") };
    const { token } = await api.post<{ token: string }>("/views/tokens/create", args);
    link.value = `${location.origin}/fleet?kiosk#${token}`;
  };
  return (
    <Dialog title={VIEWS.wallOf(view.name)} onClose={onClose} sticky={link.value !== null}>
      <p>{VIEWS.wallHint}</p>
      {link.value === null ? (
        <>
          <Walls view={view} />
          <Rankings view={view} />
          <Form work={work} submit={VIEWS.createLink} onSubmit={create} onCancel={onClose}>
            <Field label={VIEWS.wallName} name="name" required maxLength={255} autoFocus />
          </Form>
        </>
      ) : (
        <>
          <p>{VIEWS.copyNow}</p>
          <Copyable text={link.value} label={VIEWS.link} />
          <DoneButton onClick={onClose}>{VIEWS.done}</DoneButton>
        </>
      )}
    </Dialog>
  );
}

/** Saved views of the fleet. Administrators can save, rename, show and delete them. */
export function SavedViewList() {
  const { router, session } = useMuster();
  const views = useResource<SavedViews>("/views/list", {}, { present: true });
  const wall = useDialog<SavedView>(() => views.refresh());
  const choice = fleetChoice(router.address.value.query);
  return (
    <>
      <Unread from={views} what={VIEWS.list} />
      <SavedList
        path="/views"
        records={views.data.value?.records ?? []}
        addressOf={addressOf}
        content={session.isAdmin ? contentOf(choice) : null}
        texts={VIEWS}
        onChange={() => views.refresh()}
        controls={(view) => <SavedButton text={VIEWS.wall} name={view.name} onClick={wall.open(view)} />}
      />
      {wall.dialog && <WallDialog view={wall.dialog} onClose={() => wall.onClose(false)} />}
    </>
  );
}
