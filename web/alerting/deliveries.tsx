import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted } from "../text/format.ts";
import { Select, useWork, WorkError } from "../ui/form.tsx";
import { Pager } from "../ui/pager.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { DeliveryState } from "./delivery-state.tsx";
import type { Delivery, DeliveryList } from "./types.ts";

const PAGE = 50;
const REFRESH_SECONDS = 5;
const STATUSES = [
  ["", "All"],
  ["pending", "Waiting"],
  ["sending", "Being sent"],
  ["sent", "Sent"],
  ["failed", "Failed"],
] as const;

function About({ delivery }: { delivery: Delivery }) {
  const [first] = delivery.events;
  if (!first) return <span class="muted">events that are gone</span>;
  return (
    <>
      <a href={`/events/${first.id}`}>
        {first.service} on {first.host}
      </a>
      {delivery.eventcount > 1 && ` and ${counted(delivery.eventcount - 1, "other event")}`}
    </>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { key: "date", label: "When", class: "number", cell: ({ date }) => <Time at={date} /> },
  { key: "kind", label: "Kind", class: "wide", cell: ({ kind }) => kind },
  {
    key: "about",
    label: "About",
    header: true,
    class: "grow",
    cell: (delivery) => (
      <>
        <About delivery={delivery} />
        <p class="row-text">
          {delivery.rule} → {delivery.channel}
          {delivery.recipient !== "" && ` (${delivery.recipient})`}
        </p>
      </>
    ),
  },
];

interface RetryProps {
  delivery: Delivery;
  disabled: boolean;
  onRetry: () => void;
}

function StateWithRetry({ delivery, disabled, onRetry }: RetryProps) {
  return (
    <>
      <DeliveryState {...delivery} />
      {delivery.status === "failed" && (
        <button type="button" class="small" disabled={disabled} onClick={onRetry}>
          Try again<span class="sr-only"> to {delivery.channel}</span>
        </button>
      )}
    </>
  );
}

function StatusFilter({ status }: { status: string }) {
  const { router } = useMuster();
  return (
    <div class="toolbar">
      <Select
        label="State"
        name="status"
        value={status}
        options={STATUSES}
        onChange={(next) => router.setQuery({ status: next, startindex: null })}
      />
    </div>
  );
}

/** Every notification with the state of its delivery. */
export function Deliveries() {
  const { api, router } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const { query } = router.address.value;
  const status = query.get("status") ?? "";
  const start = Number(query.get("startindex") ?? 0) || 0;
  const list = useResource<DeliveryList>(
    "/admin/deliveries/list",
    { status, startindex: start, results: PAGE },
    { every: REFRESH_SECONDS, keepPrevious: true },
  );
  const retry = (delivery: Delivery) =>
    work.run(async () => {
      await api.post("/admin/deliveries/retry", { id: delivery.id });
      await list.refresh();
      notify("It is tried again");
    });
  const stateColumn: Column<Delivery> = {
    key: "state",
    label: "State",
    class: "delivery",
    cell: (delivery) => (
      <StateWithRetry delivery={delivery} disabled={work.busy.value} onRetry={() => void retry(delivery)} />
    ),
  };
  return (
    <>
      <StatusFilter status={status} />
      <WorkError work={work} />
      <Loaded from={list}>
        {({ records, totalRecords }) =>
          records.length === 0 ? (
            <Empty>{status === "" ? "Nothing was sent yet." : "No message is in this state."}</Empty>
          ) : (
            <>
              <Table
                caption="Deliveries"
                columns={[...COLUMNS, stateColumn]}
                rows={records}
                rowKey={({ id }) => id}
              />
              <Pager
                start={start}
                size={PAGE}
                total={totalRecords}
                onGo={(next) => router.setQuery({ startindex: String(next) })}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}
