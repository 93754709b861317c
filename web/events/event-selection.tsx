import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { withChoice } from "../ui/choices.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import type { Column } from "../ui/table.tsx";
import { EVENTS } from "./events.texts.ts";
import { problemText } from "./problem-list.tsx";

/** Tells whether an event is an active problem that nobody has dismissed and the user may dismiss. */
export function useCanDismiss(): (event: EventRecord) => boolean {
  const { session } = useMuster();
  return ({ active, dismissed, hostid }) =>
    active === 1 && dismissed === 0 && session.mayOn("respond", hostid);
}

/** A column of checkboxes. Only events that can be dismissed have one. */
export function selectColumn(
  rows: readonly EventRecord[],
  canDismiss: (event: EventRecord) => boolean,
  selectedIds: ReadonlySet<number>,
  choose: (ids: ReadonlySet<number>) => void,
): Column<EventRecord> {
  const errors = rows.filter(canDismiss);
  const isAllSelected = errors.length > 0 && errors.every((event) => selectedIds.has(event.id));
  return {
    key: "select",
    label: EVENTS.select,
    class: "tight",
    head: (
      <label class="select-area">
        <input
          type="checkbox"
          aria-label={EVENTS.selectAll}
          checked={isAllSelected}
          indeterminate={!isAllSelected && errors.some((event) => selectedIds.has(event.id))}
          onChange={() => choose(new Set(isAllSelected ? [] : errors.map((event) => event.id)))}
        />
      </label>
    ),
    cell: (event) =>
      canDismiss(event) && (
        <label class="select-area">
          <input
            type="checkbox"
            aria-label={EVENTS.selectOne(event.hostname, event.servicename)}
            aria-keyshortcuts="X"
            checked={selectedIds.has(event.id)}
            onChange={({ currentTarget: { checked } }) => choose(withChoice(selectedIds, event.id, checked))}
          />
        </label>
      ),
  };
}

interface DismissSelectedProps {
  events: readonly EventRecord[];
  onClose: (done: boolean) => void;
}

/** Lists the chosen problems, and dismisses them when the user confirms it. */
export function DismissSelected({ events, onClose }: DismissSelectedProps) {
  const { api, now } = useMuster();
  return (
    <FormDialog
      title={EVENTS.dismissTitle(events.length)}
      verb={EVENTS.dismiss}
      act={() => api.post("/reports/events/dismiss", { id: events.map((event) => event.id) })}
      onClose={onClose}
    >
      <p>{EVENTS.dismissHint}</p>
      <ul class="names">
        {events.map((event) => (
          <li key={event.id}>
            {EVENTS.about(event.hostname, event.servicename, problemText(event, now.value))}
          </li>
        ))}
      </ul>
    </FormDialog>
  );
}
