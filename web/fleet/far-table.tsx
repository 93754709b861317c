import type { FleetTop, HostGroups } from "../api/types.ts";
import { formatNumber } from "../text/format.ts";
import { formatValue } from "../text/statistics.ts";
import { Empty } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { FLEET } from "./fleet.texts.ts";

type Far = FleetTop["far"][number];

interface FarTableProps {
  rows: readonly Far[];
  groups: HostGroups["records"];
  /** Code of the statistic type. */
  type: number;
}

/** Outliers: hosts whose value is unusual in their group. */
export function FarTable({ rows, groups, type }: FarTableProps) {
  if (rows.length === 0) return <Empty>{FLEET.farNone}</Empty>;
  const groupName = (id: number) => groups.find((group) => group.id === id)?.name ?? FLEET.withoutGroup;
  const { columns: heads } = FLEET;
  const columns: readonly Column<Far>[] = [
    {
      key: "host",
      label: heads.host,
      header: true,
      class: "grow",
      cell: (row) => <a href={`/hosts/${row.hostid}`}>{row.hostname}</a>,
    },
    { key: "value", label: heads.value, class: "number", cell: (row) => formatValue(type, row.value) },
    {
      key: "usual",
      label: heads.usual,
      class: "wide",
      cell: (row) => FLEET.usual(formatValue(type, row.median), groupName(row.groupid)),
    },
    {
      key: "score",
      label: heads.score,
      class: "number",
      cell: (row) => `${row.score > 0 ? "+" : "−"}${formatNumber(Math.abs(row.score), 1)}`,
    },
  ];
  return <Table caption={FLEET.far} columns={columns} rows={rows} rowKey={({ hostid }) => hostid} />;
}
