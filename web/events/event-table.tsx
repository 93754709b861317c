import type { ComponentChildren } from "preact";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Clamped } from "../ui/clamped.tsx";
import { EventState } from "../ui/led.tsx";
import { type Column, type Sort, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { EVENTS } from "./events.texts.ts";
import { failingText, isLasting, problemSince, problemText, ServiceLink } from "./problem-list.tsx";
import { NotedMark, ProblemMarks } from "./problem-marks.tsx";

/** The state of an event that ends a failure. */
const RECOVERY = 0;

/**
 * The rows without recoveries whose failures are also among the rows: the failure shows when it ended, so each
 * incident is one row.
 */
export function withoutRecoveries(rows: readonly EventRecord[]): EventRecord[] {
  const key = (event: EventRecord, at: number) => [event.hostid, at, event.servicename].join(" ");
  const ends = new Set(rows.flatMap((event) => (event.ended > 0 ? [key(event, event.ended)] : [])));
  return rows.filter((event) => event.eventtype !== RECOVERY || !ends.has(key(event, event.date)));
}

interface EventTableProps {
  caption: string;
  rows: readonly EventRecord[];
  /** All events are of one host, so that its column is left out. */
  ofHost?: boolean;
  /** All events are of one service. */
  ofService?: boolean;
  /** A column before all others, such as one to select rows. */
  first?: Column<EventRecord>;
  /** Whether recoveries are rows too, although their failures show when they ended. */
  recoveries?: boolean;
  /** A control at the end of each row. */
  control?: (event: EventRecord) => ComponentChildren;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}

/** The event's text. A long one is cut after two lines; its page shows the rest. */
function EventText({ event }: { event: EventRecord }) {
  const { now } = useMuster();
  const text = problemText(event, now.value);
  return (
    <>
      <span class="event-text">
        <Clamped>
          <a href={`/events/${event.id}`}>{text}</a>
        </Clamped>{" "}
        <NotedMark note={event.note} />
      </span>
      {event.ended > 0 && (
        <span class="event-marks muted">{EVENTS.lasted(event.ended - problemSince(event))}</span>
      )}
      {event.active === 1 && (
        <span class="event-marks">
          <ProblemMarks event={event} />
        </span>
      )}
    </>
  );
}

const HostLink = ({ event }: { event: EventRecord }) => (
  <a href={`/hosts/${event.hostid}`}>{event.hostname}</a>
);

const STATE_COLUMN: Column<EventRecord> = {
  key: "state",
  label: EVENTS.columns.state,
  class: "col-state",
  cell: (event) => (
    <EventState
      state={event.eventtype}
      lasts={isLasting(event)}
      failing={failingText(event)}
      words="wide-only"
    />
  ),
};
const HOST_COLUMN: Column<EventRecord> = {
  key: "hostname",
  label: EVENTS.columns.host,
  class: "wide col-where",
  sortable: true,
  cell: (event) => <HostLink event={event} />,
};
const SERVICE_COLUMN: Column<EventRecord> = {
  key: "servicename",
  label: EVENTS.columns.service,
  class: "wide col-where",
  sortable: true,
  cell: (event) => <ServiceLink event={event} />,
};
const WHEN_COLUMN: Column<EventRecord> = {
  key: "date",
  label: EVENTS.columns.when,
  class: "wide number col-when",
  sortable: true,
  firstDir: "desc",
  cell: (event) => <Time at={event.date} />,
};

const textColumn = (ofHost: boolean, ofService: boolean): Column<EventRecord> => ({
  key: "event",
  label: EVENTS.columns.event,
  header: true,
  sortable: true,
  class: "grow",
  cell: (event) => (
    <>
      <EventText event={event} />
      <span class="narrow second event-where">
        {!ofService && <ServiceLink event={event} />}
        {!ofHost && <HostLink event={event} />}
        <Time at={event.date} />
      </span>
    </>
  ),
});

/** Events, one per row. On narrow screens host, service and time move below the event's text. */
export function EventTable(props: EventTableProps) {
  const {
    caption,
    rows,
    ofHost = false,
    ofService = false,
    recoveries = false,
    first,
    control,
    sort,
    onSort,
  } = props;
  const columns: Column<EventRecord>[] = [
    ...(first ? [first] : []),
    STATE_COLUMN,
    textColumn(ofHost, ofService),
    ...(ofService ? [] : [SERVICE_COLUMN]),
    ...(ofHost ? [] : [HOST_COLUMN]),
    WHEN_COLUMN,
    ...(control ? [{ key: "control", label: EVENTS.columns.control, class: "tight", cell: control }] : []),
  ];
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={recoveries ? rows : withoutRecoveries(rows)}
      rowKey={(event) => event.id}
      fixed
      sort={sort}
      {...(onSort ? { onSort } : {})}
    />
  );
}
