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
import { LIMITS } from "./limits.texts.ts";
import { Suggestions } from "./suggestions.tsx";
import type { Limit, LimitList } from "./types.ts";

const HOME = "/limits";

function DeleteLimit({ limit, onClose }: { limit: Limit; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={LIMITS.deleteTitle(limit.name)}
      verb={LIMITS.deleteVerb}
      danger
      act={() => api.post("/limits/delete", { id: limit.id })}
      onClose={onClose}
    >
      <p>{LIMITS.deleteHint}</p>
    </Confirm>
  );
}

function columnsOf(names: Names, onDelete: (limit: Limit) => void): readonly Column<Limit>[] {
  return [
    {
      key: "name",
      label: LIMITS.columns.name,
      header: true,
      class: "grow",
      cell: (limit) => (
        <>
          {limit.manage ? <a href={`${HOME}/edit?id=${limit.id}`}>{limit.name}</a> : limit.name}{" "}
          {!limit.enabled && <span class="tag">{LIMITS.off}</span>}
          <p class="row-text">{limitText(limit, names)}</p>
        </>
      ),
    },
    {
      key: "open",
      label: LIMITS.columns.open,
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
      label: LIMITS.columns.control,
      class: "tight",
      cell: (limit) =>
        limit.manage && (
          <button
            type="button"
            class="small"
            onClick={() => onDelete(limit)}
            aria-label={LIMITS.deleteOf(limit.name)}
          >
            {LIMITS.delete}
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
    notify(LIMITS.deleted);
    void limits.refresh();
  };
  const columns = columnsOf(references.names, (limit) => {
    deleting.value = limit;
  });
  return (
    <Page
      title={LIMITS.title}
      aside={
        <a class="button primary" href={`${HOME}/edit`}>
          <Icon name="plus" />
          {LIMITS.newLimit}
        </a>
      }
    >
      <Loaded from={limits}>
        {({ records }) => (
          <>
            {records.length === 0 ? (
              <Empty>
                {LIMITS.none} <a href={`${HOME}/edit`}>{LIMITS.createFirst}</a>
              </Empty>
            ) : (
              <Table caption={LIMITS.title} columns={columns} rows={records} rowKey={({ id }) => id} />
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
