import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { wholeNumber } from "../state/router.ts";
import { PagedTable } from "../ui/paged-table.tsx";
import { RowButton } from "../ui/record-list.tsx";
import { Select } from "../ui/select.tsx";
import type { Column } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { useWork, WorkError } from "../ui/work.tsx";
import { ALERTS } from "./alerts.texts.ts";
import { DELIVERIES } from "./deliveries.texts.ts";
import { DeliveryState, toText } from "./delivery-state.tsx";
import type { Delivery, DeliveryList } from "./types.ts";

const PAGE = 50;
const REFRESH_SECONDS = 5;

function About({ delivery }: { delivery: Delivery }) {
  const [first] = delivery.events;
  const [finding] = delivery.findings;
  if (delivery.kind === "report" || delivery.kind === "shift")
    return <span class="muted">{DELIVERIES[delivery.kind]}</span>;
  if (finding)
    return (
      <>
        <a href="/health">{DELIVERIES.ofMuster(finding.text)}</a>{" "}
        {delivery.findings.length > 1 && DELIVERIES.moreFindings(delivery.findings.length - 1)}
      </>
    );
  if (!first) return <span class="muted">{DELIVERIES.eventsGone}</span>;
  return (
    <>
      <a href={`/events/${first.id}`}>{ALERTS.place(first.service, first.host)}</a>{" "}
      {delivery.eventcount > 1 && DELIVERIES.moreEvents(delivery.eventcount - 1)}
    </>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { key: "date", label: DELIVERIES.columns.date, class: "number", cell: ({ date }) => <Time at={date} /> },
  { key: "kind", label: DELIVERIES.columns.kind, class: "wide", cell: ({ kind }) => kind },
  {
    key: "about",
    label: DELIVERIES.columns.about,
    header: true,
    class: "grow",
    cell: (delivery) => (
      <>
        <About delivery={delivery} />
        <p class="row-text">{toText(delivery)}</p>
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
        <RowButton label={DELIVERIES.retryOf(delivery.channel)} disabled={disabled} onClick={onRetry}>
          {DELIVERIES.retry}
        </RowButton>
      )}
    </>
  );
}

function StatusFilter({ status }: { status: string }) {
  const { router } = useMuster();
  return (
    <div class="toolbar">
      <Select
        label={DELIVERIES.state}
        name="status"
        value={status}
        options={DELIVERIES.filters}
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
  const start = wholeNumber(query.get("startindex"));
  const list = useResource<DeliveryList>(
    "/admin/deliveries/list",
    { status, startindex: start, results: PAGE },
    { every: REFRESH_SECONDS, keepPrevious: true },
  );
  const retry = (delivery: Delivery) =>
    work.run(async () => {
      await api.post("/admin/deliveries/retry", { id: delivery.id });
      await list.refresh();
      notify(DELIVERIES.retried);
    });
  const stateColumn: Column<Delivery> = {
    key: "state",
    label: DELIVERIES.columns.state,
    class: "delivery",
    cell: (delivery) => (
      <StateWithRetry delivery={delivery} disabled={work.busy.value} onRetry={() => void retry(delivery)} />
    ),
  };
  return (
    <>
      <StatusFilter status={status} />
      <WorkError work={work} />
      <PagedTable
        from={list}
        start={start}
        size={PAGE}
        caption={DELIVERIES.caption}
        columns={[...COLUMNS, stateColumn]}
        none={status === "" ? DELIVERIES.none : DELIVERIES.noneMatches}
      />
    </>
  );
}
