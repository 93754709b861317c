import type { ComponentChildren } from "preact";
import type { EventRecord } from "../api/types.ts";
import { EVENT_STATES } from "../text/names.ts";
import { Icon } from "../ui/icon.tsx";
import { EventState } from "../ui/led.tsx";
import { type Column, type Sort, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

interface EventTableProps {
  caption: string;
  rows: readonly EventRecord[];
  /** All events are of one host, so that its column is left out. */
  ofHost?: boolean;
  /** A column before all others, such as one to select rows. */
  first?: Column<EventRecord>;
  /**
   * A control at the end of each row. The list is then one of active problems, and its rows do not repeat
   * that.
   */
  control?: (event: EventRecord) => ComponentChildren;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}

function Where({ event, ofHost }: { event: EventRecord; ofHost: boolean }) {
  return (
    <>
      {!ofHost && (
        <>
          <a href={`/hosts/${event.hostid}`}>{event.hostname}</a>
          {" / "}
        </>
      )}
      {event.servicename}
    </>
  );
}

/** The event's text with its marks. */
function EventText({ event, showActive }: { event: EventRecord; showActive: boolean }) {
  return (
    <>
      <a href={`/events/${event.id}`}>{event.event || "(no text)"}</a>
      {event.note === 1 && (
        <span class="noted" title="Has notes">
          <Icon name="note" />
          <span class="sr-only">has notes</span>
        </span>
      )}
      {showActive && event.active === 1 && (
        <span class="tag">{event.dismissed === 1 ? "dismissed" : "active"}</span>
      )}
    </>
  );
}

const STATE_COLUMN: Column<EventRecord> = {
  key: "state",
  label: "State",
  class: "tight",
  cell: (event) => <EventState state={event.eventtype} words="wide-only" />,
};
const HOST_COLUMN: Column<EventRecord> = {
  key: "hostname",
  label: "Host",
  class: "wide host",
  sortable: true,
  cell: (event) => <a href={`/hosts/${event.hostid}`}>{event.hostname}</a>,
};
const LAST_COLUMNS: readonly Column<EventRecord>[] = [
  { key: "servicename", label: "Service", class: "wide", sortable: true, cell: (event) => event.servicename },
  {
    key: "date",
    label: "When",
    class: "wide number",
    sortable: true,
    firstDir: "desc",
    cell: (event) => <Time at={event.date} />,
  },
];

const textColumn = (ofHost: boolean, showActive: boolean): Column<EventRecord> => ({
  key: "event",
  label: "Event",
  header: true,
  sortable: true,
  class: "grow",
  cell: (event) => (
    <>
      <EventText event={event} showActive={showActive} />
      <span class="narrow second">
        {EVENT_STATES[event.eventtype]}: <Where event={event} ofHost={ofHost} />, <Time at={event.date} />
      </span>
    </>
  ),
});

/** Events, one a row. On narrow screens host, service and time move below the event's text. */
export function EventTable({ caption, rows, ofHost = false, first, control, sort, onSort }: EventTableProps) {
  const columns: Column<EventRecord>[] = [
    ...(first ? [first] : []),
    STATE_COLUMN,
    textColumn(ofHost, !control),
    ...(ofHost ? [] : [HOST_COLUMN]),
    ...LAST_COLUMNS,
    ...(control ? [{ key: "control", label: "Action", class: "tight", cell: control }] : []),
  ];
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={(event) => event.id}
      sort={sort}
      {...(onSort ? { onSort } : {})}
    />
  );
}
