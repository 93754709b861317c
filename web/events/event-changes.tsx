import type { EventChange, EventChanges as Reply } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { EVENT } from "./events.texts.ts";

const { change } = EVENT;
const HostLink = ({ row }: { row: EventChange }) => <a href={`/hosts/${row.hostid}`}>{row.hostname}</a>;
const rowKey = ({ id, hostid, servicename, date }: EventChange) => id || `${hostid} ${date} ${servicename}`;

/** Compares the output of a program before and after. Both texts are from the agent. */
export function OutputChange({ before, after }: Pick<EventChange, "before" | "after">) {
  const parts = [
    [change.before, before],
    [change.after, after],
  ] as const;
  return (
    <dl class="output-change">
      {parts.map(([label, text]) => (
        <div key={label}>
          <dt class="muted">{label}</dt>
          <dd class="as-written">{text || <span class="muted">{change.nothing}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

const COLUMNS: readonly Column<EventChange>[] = [
  { key: "kind", label: change.kind, class: "wide tight", cell: ({ event }) => event },
  {
    key: "message",
    label: change.message,
    header: true,
    class: "grow",
    cell: (row) => (
      <>
        {row.id === 0 ? (
          <OutputChange {...row} />
        ) : (
          <a href={`/events/${row.id}`}>{row.message || row.event}</a>
        )}
        <span class="narrow second event-where">
          {row.servicename} <HostLink row={row} /> <Time at={row.date} />
        </span>
      </>
    ),
  },
  { key: "service", label: change.service, class: "wide col-where", cell: ({ servicename }) => servicename },
  { key: "host", label: change.host, class: "wide col-where", cell: (row) => <HostLink row={row} /> },
  { key: "date", label: change.when, class: "wide number", cell: ({ date }) => <Time at={date} /> },
];

/**
 * Changes before a failure: of its host, and of its groups in the same minute. @param id of an error event of the
 * failure
 */
export function EventChanges({ id }: { id: number }) {
  const changes = useResource<Reply>("/reports/events/changes", { id }, { present: true });
  return (
    <Section title={change.title}>
      <Loaded from={changes}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{change.none}</Empty>
          ) : (
            <Table caption={change.title} columns={COLUMNS} rows={records} rowKey={rowKey} />
          )
        }
      </Loaded>
    </Section>
  );
}
