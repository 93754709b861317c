import type { RejectedMessageList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatNumber } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { REJECTED } from "./setup.texts.ts";

const LIVE_SECONDS = 5;
type RejectedMessage = RejectedMessageList["records"][number];

const COLUMNS: readonly Column<RejectedMessage>[] = [
  {
    key: "address",
    label: REJECTED.columns.address,
    header: true,
    class: "tight",
    cell: (refusal) => refusal.address,
  },
  { key: "reason", label: REJECTED.columns.reason, class: "grow", cell: (refusal) => refusal.reason },
  {
    key: "count",
    label: REJECTED.columns.count,
    class: "number",
    cell: (refusal) => formatNumber(refusal.count, 0),
  },
  {
    key: "last",
    label: REJECTED.columns.last,
    class: "number",
    cell: (refusal) => <Time at={refusal.last} />,
  },
];

/** Messages of agents that the collector has rejected, and why. */
export function RejectedMessages() {
  const refusals = useResource<RejectedMessageList>("/admin/refusals/list", {}, { every: LIVE_SECONDS });
  return (
    <Section title={REJECTED.title}>
      <Loaded from={refusals}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{REJECTED.none}</Empty>
          ) : (
            <Table
              caption={REJECTED.title}
              columns={COLUMNS}
              rows={records}
              rowKey={(refusal) => `${refusal.address} ${refusal.reason}`}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
