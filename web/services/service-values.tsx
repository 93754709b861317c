import type { Service, Statistic } from "../api/types.ts";
import { formatStatistic, headline, statisticLabel } from "../text/statistics.ts";
import { LongText } from "../ui/long-text.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { SERVICE } from "./service.texts.ts";

/** Values at the top of the page; all of them are in a table at its end. */
const TOP_VALUES = 6;

/** Labels that stand by themselves, where those of a line in a list go on from the one before. */
const TOP_LABELS: Readonly<Record<string, string>> = { of: SERVICE.total, "": SERVICE.response };

const COLUMNS: readonly Column<Statistic>[] = [
  { key: "label", label: SERVICE.valueColumns.label, header: true, cell: statisticLabel },
  {
    key: "value",
    label: SERVICE.valueColumns.latest,
    class: "grow",
    cell: (statistic) => <LongText text={formatStatistic(statistic)} />,
  },
];

/** The few values that its type is looked at for. */
export function TopValues({ service }: { service: Service }) {
  const values = headline(service).slice(0, TOP_VALUES);
  if (values.length === 0) return null;
  return (
    <ul class="vitals" aria-label={SERVICE.now}>
      {values.map(({ id, label, value }) => (
        <li key={id} class="vital">
          <span class="vital-label">{TOP_LABELS[label] ?? label}</span>
          <span class="vital-value">{value}</span>
        </li>
      ))}
    </ul>
  );
}

/** Every value, folded. */
export function AllValues({ service: { statistics } }: { service: Service }) {
  if (statistics.length === 0) return <p class="muted">{SERVICE.noValues}</p>;
  return (
    <details class="folded">
      <summary>{SERVICE.allValues(statistics.length)}</summary>
      <Table
        caption={SERVICE.valuesCaption}
        columns={COLUMNS}
        rows={statistics}
        rowKey={(statistic) => statistic.id}
      />
    </details>
  );
}
