import { STATISTIC, STATISTIC_TYPES } from "../../src/monit/statistic-types.ts";
import type { HostOfDetail, Service, Statistic } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatStatistic, headline, statisticLabel } from "../text/statistics.ts";
import { limitAddress } from "../ui/limit-address.ts";
import { LongText } from "../ui/long-text.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { SERVICE } from "./service.texts.ts";

/** Values at the top of the page; all of them are in a table at its end. */
const TOP_VALUES = 6;

/** Labels that stand alone, in place of those that continue the previous label of a list. */
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

/** The most important values of its type. */
export function TopValues({ host, service }: { host: HostOfDetail; service: Service }) {
  const { session } = useMuster();
  const mayLimit = session.may("manage", host.groups);
  const values = headline(service).slice(0, TOP_VALUES);
  if (values.length === 0) return null;
  return (
    <ul class="vitals" aria-label={SERVICE.now}>
      {values.map(({ id, type, label, value }) => (
        <li key={id} class="vital">
          <span class="vital-label">
            {TOP_LABELS[label] ?? label}
            {mayLimit && STATISTIC_TYPES.get(type)?.charted && (
              <a
                class="vital-limit"
                href={limitAddress(String(type), host.id, service.name)}
                aria-label={SERVICE.setLimitOn(TOP_LABELS[label] ?? label)}
              >
                {SERVICE.setLimit}
              </a>
            )}
          </span>
          <span class="vital-value">{value}</span>
        </li>
      ))}
    </ul>
  );
}

/** The output of a program, which often says why it failed. */
export function ProgramOutput({ service: { statistics } }: { service: Service }) {
  const outputs = statistics.filter(({ type, text }) => type === STATISTIC.programOutput.code && text);
  return (
    <>
      {outputs.map((statistic) => (
        <section key={statistic.id} class="program-output">
          <h3>{SERVICE.output}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it */}
          <pre class="output" tabIndex={0}>
            {formatStatistic(statistic)}
          </pre>
        </section>
      ))}
    </>
  );
}

/** All values, folded away. */
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
