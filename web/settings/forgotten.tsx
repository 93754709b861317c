import type { ForgottenList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { counted } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { FORGOTTEN } from "./forgotten.texts.ts";

const LIVE_SECONDS = 60;

type Forgotten = ForgottenList["records"][number];

/** Address of the page on which it can be dealt with. */
function addressOf({ kind, id }: Forgotten): string {
  if (kind === "acknowledgement") return `/events/${id}`;
  if (kind === "host") return `/hosts/${id}/settings`;
  return kind === "rule" ? `/alerts/rules/edit?id=${id}` : "/alerts/maintenance";
}

const COLUMNS: readonly Column<Forgotten>[] = [
  {
    key: "what",
    label: FORGOTTEN.columns.what,
    header: true,
    class: "grow",
    cell: (record) => (
      <>
        <a href={addressOf(record)}>{record.name || FORGOTTEN.mute}</a>
        {record.note !== "" && <p class="row-text">{record.note}</p>}
      </>
    ),
  },
  {
    key: "how",
    label: FORGOTTEN.columns.how,
    cell: ({ kind, uname }) =>
      uname === "" ? FORGOTTEN.kinds[kind] : FORGOTTEN.by(FORGOTTEN.kinds[kind], uname),
  },
  { key: "since", label: FORGOTTEN.columns.since, class: "number", cell: ({ since }) => <Time at={since} /> },
];

/** What people set aside long ago, the oldest first. It shows nothing at all if the list is empty. */
export function Forgotten() {
  const forgotten = useResource<ForgottenList>("/forgotten/list", {}, { every: LIVE_SECONDS });
  const list = forgotten.data.value;
  if (!list?.records.length) return <Unread from={forgotten} what={FORGOTTEN.list} />;
  const total = Object.values(list.totals).reduce((sum, n) => sum + n, 0);
  const more = total - list.records.length;
  return (
    <Section title={FORGOTTEN.title}>
      <p class="hint">{FORGOTTEN.hint(counted(list.days, "day"))}</p>
      <Table
        caption={FORGOTTEN.title}
        columns={COLUMNS}
        rows={list.records}
        rowKey={({ kind, id }) => `${kind} ${id}`}
      />
      {more > 0 && <p class="hint">{FORGOTTEN.more(more)}</p>}
    </Section>
  );
}
