import type { Names } from "../alerting/descriptions.ts";
import { useReferences } from "../alerting/references.ts";
import { Referring } from "../alerting/referring.tsx";
import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { controlColumn, DeleteButton } from "../ui/record-list.tsx";
import { Empty, Loaded, Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { limitText, openText } from "./limit-text.ts";
import { LIMITS } from "./limits.texts.ts";
import { Suggestions } from "./suggestions.tsx";
import type { Limit, LimitList, UnmatchedLimits } from "./types.ts";

const HOME = "/limits";
const LIVE_SECONDS = 30;

interface Listing {
  names: Names;
  /** Ids of the limits that match nothing at present. */
  unmatched: readonly number[];
  onDelete: (limit: Limit) => () => void;
}

function columnsOf({ names, unmatched, onDelete }: Listing): readonly Column<Limit>[] {
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
          {unmatched.includes(limit.id) && <span class="tag">{LIMITS.unmatched}</span>}
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
    controlColumn((limit) => limit.manage && <DeleteButton name={limit.name} onClick={onDelete(limit)} />),
  ];
}

/** Limits, and suggestions of more. */
export function LimitsScreen() {
  const references = useReferences();
  const limits = useResource<LimitList>("/limits/list", {}, { every: LIVE_SECONDS });
  const deleting = useDialog<Limit>(() => limits.refresh(), LIMITS.deleted);
  const unmatched = useResource<UnmatchedLimits>("/limits/unmatched");
  const columns = columnsOf({
    names: references.names,
    unmatched: unmatched.data.value?.ids ?? [],
    onDelete: deleting.open,
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
      <Unread from={unmatched} what={LIMITS.whichUnmatched} />
      <Referring to={references}>
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
                existingNames={new Set(records.map(({ name }) => name))}
                names={references.names}
                onTaken={() => limits.refresh()}
              />
            </>
          )}
        </Loaded>
      </Referring>
      {deleting.dialog && (
        <ConfirmDelete
          operation="/limits/delete"
          record={deleting.dialog}
          texts={LIMITS}
          onClose={deleting.onClose}
        >
          <p>{LIMITS.deleteHint}</p>
        </ConfirmDelete>
      )}
    </Page>
  );
}
