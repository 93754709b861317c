import { useSignal } from "@preact/signals";
import type { Names } from "../alerting/descriptions.ts";
import { useReferences } from "../alerting/references.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { limitText, openText } from "./limit-text.ts";
import { Suggestions } from "./suggestions.tsx";
import type { Limit, LimitList } from "./types.ts";

export const LIMITS = "/limits";

function DeleteLimit({ limit, onClose }: { limit: Limit; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={`Delete ${limit.name}?`}
      verb="Delete limit"
      danger
      act={() => api.post("/limits/delete", { id: limit.id })}
      onClose={onClose}
    >
      <p>Its open failures end. Its events stay.</p>
    </Confirm>
  );
}

function columnsOf(names: Names, onDelete: (limit: Limit) => void): readonly Column<Limit>[] {
  return [
    {
      key: "name",
      label: "Limit",
      header: true,
      class: "grow",
      cell: (limit) => (
        <>
          <a href={`${LIMITS}/edit?id=${limit.id}`}>{limit.name}</a>{" "}
          {!limit.enabled && <span class="tag">off</span>}
          <p class="row-text">{limitText(limit, names)}</p>
        </>
      ),
    },
    {
      key: "open",
      label: "Passed now",
      class: "tight",
      cell: (limit) =>
        limit.warnings + limit.criticals > 0 ? (
          <strong>{openText(limit)}</strong>
        ) : (
          <span class="muted">{openText(limit)}</span>
        ),
    },
    {
      key: "control",
      label: "Actions",
      class: "tight",
      cell: (limit) => (
        <button type="button" class="small" onClick={() => onDelete(limit)}>
          Delete<span class="sr-only"> {limit.name}</span>
        </button>
      ),
    },
  ];
}

/** Values that Muster itself warns of, and suggestions of more. */
export function LimitsScreen() {
  const notify = useNotify();
  const references = useReferences();
  const limits = useResource<LimitList>("/limits/list");
  const deleting = useSignal<Limit | null>(null);
  const onDeleteClosed = (done: boolean) => {
    deleting.value = null;
    if (!done) return;
    notify("Limit deleted");
    void limits.refresh();
  };
  const columns = columnsOf(references.names, (limit) => {
    deleting.value = limit;
  });
  return (
    <Page
      title="Limits"
      aside={
        <a class="button primary" href={`${LIMITS}/edit`}>
          <Icon name="plus" />
          New limit
        </a>
      }
    >
      <Loaded from={limits}>
        {({ records }) => (
          <>
            {records.length === 0 ? (
              <Empty>
                No limit yet, so Muster shows what agents find, and warns of nothing else.{" "}
                <a href={`${LIMITS}/edit`}>Create the first limit</a>, or take one of those below.
              </Empty>
            ) : (
              <Table caption="Limits" columns={columns} rows={records} rowKey={({ id }) => id} />
            )}
            <Suggestions
              taken={new Set(records.map(({ name }) => name))}
              names={references.names}
              onTaken={() => void limits.refresh()}
            />
          </>
        )}
      </Loaded>
      {deleting.value && <DeleteLimit limit={deleting.value} onClose={onDeleteClosed} />}
    </Page>
  );
}
