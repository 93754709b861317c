import type { MovedRecord, WhatMoved } from "../api/types.ts";
import { OutputChange } from "../events/event-changes.tsx";
import { AUDIT } from "../settings/settings.texts.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatAbsolute, formatSecond } from "../text/format.ts";
import { formatValue, statisticLabel } from "../text/statistics.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { MOVED } from "./moved-first.texts.ts";

/** How often, and for how long after a failure, it is read again, seconds: later reports confirm what moved first. */
const LIVE_SECONDS = 60;
const SETTLING_SECONDS = 600;

interface Row extends MovedRecord {
  key: number;
  isTied: boolean;
}

/** The metric with its change, the message of an event, or what a user did. */
function What({ row }: { row: Row }) {
  const { type, descriptor, of, from, to, what, kind, eventid, before, after, operation, uname } = row;
  if (type !== null && from !== null && to !== null) {
    const [first, last] = [formatValue(type, from), formatValue(type, to)];
    return (
      <>
        {statisticLabel({ type, descriptor })}{" "}
        <span class="muted">{of === "spread" ? MOVED.spread(first, last) : MOVED.change(first, last)}</span>
      </>
    );
  }
  if (eventid > 0) return <a href={`/events/${eventid}`}>{what}</a>;
  if (kind === "output") return <OutputChange before={before} after={after} />;
  const detail = uname && MOVED.by(uname);
  return (
    <>
      {operation && AUDIT.action(operation)} {what} {detail && <span class="muted">{detail}</span>}
    </>
  );
}

/** The first report that shows it, and how far off that may be. */
function When({ row: { date, earliest, latest } }: { row: Row }) {
  const [from, to] = [formatSecond(earliest), formatSecond(latest)];
  const doubt = date === latest ? MOVED.earlier(latest - earliest) : MOVED.range(from, to);
  return (
    <span title={MOVED.between(formatAbsolute(earliest), formatAbsolute(latest))}>
      {formatSecond(date)} {latest > earliest && <span class="muted">{doubt}</span>}
    </span>
  );
}

function Where({ row: { hostid, hostname } }: { row: Row }) {
  return hostid > 0 ? <a href={`/hosts/${hostid}`}>{hostname}</a> : null;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "order",
    label: MOVED.order,
    class: "tight",
    cell: ({ tie, isTied }) => (isTied ? MOVED.tied(tie) : tie),
  },
  { key: "kind", label: MOVED.kind, class: "wide tight", cell: ({ kind }) => MOVED.kinds[kind] },
  {
    key: "what",
    label: MOVED.what,
    header: true,
    class: "grow",
    cell: (row) => (
      <>
        <What row={row} />
        <span class="narrow second event-where">
          {row.servicename} <Where row={row} /> <When row={row} />
        </span>
      </>
    ),
  },
  { key: "service", label: MOVED.service, class: "wide col-where", cell: ({ servicename }) => servicename },
  { key: "host", label: MOVED.host, class: "wide col-where", cell: (row) => <Where row={row} /> },
  { key: "when", label: MOVED.when, class: "wide number", cell: (row) => <When row={row} /> },
];

function rowsOf(records: readonly MovedRecord[]): Row[] {
  const sizes = Map.groupBy(records, ({ tie }) => tie);
  return records.map((record, key) => ({
    ...record,
    key,
    isTied: (sizes.get(record.tie)?.length ?? 0) > 1,
  }));
}

/** What was searched, and what was left out. */
function Searched({ moved }: { moved: WhatMoved }) {
  const { since, metrics, hosts, hostsleftout, metricsleftout, recordsleftout } = moved;
  return (
    <p class="hint">
      {MOVED.began(formatSecond(since))} {metrics > 0 ? MOVED.searched(metrics, hosts) : MOVED.noMetrics}
      {hostsleftout > 0 && ` ${MOVED.hostsLeftOut(hostsleftout)}`}
      {metricsleftout > 0 && ` ${MOVED.metricsLeftOut(metricsleftout)}`}
      {recordsleftout > 0 && ` ${MOVED.recordsLeftOut(recordsleftout)}`} {MOVED.noCause}
    </p>
  );
}

/**
 * What moved before an incident, in the order of time. @param id of an error event of it @param since its beginning, unix
 * seconds
 */
export function MovedFirst({ id, since }: { id: number; since: number }) {
  const { now } = useMuster();
  const every = now.value - since < SETTLING_SECONDS ? LIVE_SECONDS : 0;
  const moved = useResource<WhatMoved>("/incidents/moved", { id }, { every, present: true });
  return (
    <Section title={MOVED.title}>
      <Loaded from={moved}>
        {(reply) => (
          <>
            {reply.records.length === 0 ? (
              <Empty>{MOVED.none}</Empty>
            ) : (
              <Table
                caption={MOVED.title}
                columns={COLUMNS}
                rows={rowsOf(reply.records)}
                rowKey={({ key }) => key}
              />
            )}
            <Searched moved={reply} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
