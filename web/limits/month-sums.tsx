import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatDate } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { metricText } from "./limit-text.ts";
import { LIMITS } from "./limits.texts.ts";
import type { LimitSums, NewLimit } from "./types.ts";

const LIVE_SECONDS = 60;
const SHOWN = 50;

type Sum = LimitSums["records"][number];

/** When the next value is reached, in words. */
function outlookText({ atend, warningat, criticalat }: Sum, limit: NewLimit): string {
  const { timezone } = limit;
  if (warningat !== null) return LIMITS.month.warns(formatDate(warningat, timezone));
  if (criticalat !== null) return LIMITS.month.isCritical(formatDate(criticalat, timezone));
  return atend === null ? LIMITS.month.tooEarly : LIMITS.month.ends(metricText(limit, atend));
}

function columnsOf(limit: NewLimit): readonly Column<Sum>[] {
  const last = limit.critical ?? limit.warning;
  return [
    {
      key: "place",
      label: LIMITS.month.columns.place,
      header: true,
      class: "grow",
      cell: (sum) => (
        <>
          <a href={`/hosts/${sum.hostid}`}>{sum.hostname}</a> {sum.servicename}
          <p class="row-text">{outlookText(sum, limit)}</p>
        </>
      ),
    },
    {
      key: "sum",
      label: LIMITS.month.columns.sum,
      class: "number",
      cell: ({ sum }) => metricText(limit, sum),
    },
    {
      key: "share",
      label: LIMITS.month.columns.share,
      class: "number",
      cell: ({ sum }) =>
        last === null || last <= 0 ? "" : LIMITS.month.share(Math.floor((100 * sum) / last)),
    },
  ];
}

/** What a stored limit has added up in this month, by service, and what is foreseen. */
export function MonthSums({ id, limit }: { id: number; limit: NewLimit }) {
  const { now } = useMuster();
  const sums = useResource<LimitSums>("/limits/sums", { id, results: SHOWN }, { every: LIVE_SECONDS });
  const title = LIMITS.month.title(
    new Intl.DateTimeFormat("en-GB", { timeZone: limit.timezone, month: "long", year: "numeric" }).format(
      now.peek() * 1000,
    ),
  );
  return (
    <Section title={title}>
      <Loaded from={sums}>
        {({ records, totalRecords }) =>
          records.length === 0 ? (
            <Empty>{LIMITS.month.none}</Empty>
          ) : (
            <>
              <Table
                caption={title}
                columns={columnsOf(limit)}
                rows={records}
                rowKey={({ hostid, servicename }) => `${hostid} ${servicename}`}
              />
              {totalRecords > records.length && (
                <p class="hint">{LIMITS.month.more(totalRecords - records.length)}</p>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
