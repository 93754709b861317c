import { useResource } from "../state/polled-resource.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { DELIVERIES } from "./deliveries.texts.ts";
import { DeliveryState, toText } from "./delivery-state.tsx";
import type { EventNotification, EventNotifications as Reply } from "./types.ts";

const REFRESH_SECONDS = 5;

const COLUMNS: readonly Column<EventNotification>[] = [
  {
    key: "date",
    label: DELIVERIES.columns.date,
    class: "number wide",
    cell: ({ date }) => <Time at={date} />,
  },
  { key: "kind", label: DELIVERIES.columns.kind, header: true, class: "tight", cell: ({ kind }) => kind },
  {
    key: "to",
    label: DELIVERIES.columns.to,
    class: "grow",
    cell: toText,
  },
  {
    key: "state",
    label: DELIVERIES.columns.state,
    class: "delivery",
    cell: (notification) => <DeliveryState {...notification} />,
  },
];

/** Messages that were sent, and the rules that suppressed one, with the reason. */
export function Notifications({ records, heldback }: Reply) {
  return (
    <>
      {records.length === 0 && heldback.length === 0 && <Empty>{DELIVERIES.noRuleMatched}</Empty>}
      {records.length > 0 && (
        <Table
          caption={DELIVERIES.ofEventCaption}
          columns={COLUMNS}
          rows={records}
          rowKey={({ rule, channel, person, recipient, date, kind }) =>
            `${date} ${kind} ${rule} ${channel} ${person} ${recipient}`
          }
        />
      )}
      {heldback.map(({ rule, reason }) => (
        <p key={`${rule} ${reason}`} class="muted suppressed">
          {DELIVERIES.suppressed(rule, reason)}
        </p>
      ))}
    </>
  );
}

/** Notifications of an event, and the rules that suppressed one, with the reason. */
export function EventNotifications({ id }: { id: number }) {
  const notifications = useResource<Reply>("/reports/events/alerts", { id }, { every: REFRESH_SECONDS });
  return (
    <Section title={DELIVERIES.ofEvent}>
      <Loaded from={notifications}>{(reply) => <Notifications {...reply} />}</Loaded>
    </Section>
  );
}
