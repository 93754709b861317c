import { useEffect, useRef } from "preact/hooks";
import { formatNumber } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { Names } from "./descriptions.ts";
import type { Preview } from "./types.ts";

/** A message has no id of its own: its index is the key of its row. */
type Message = Preview["records"][number] & { index: number };

/** How many messages a rule would have sent, as a sentence. */
export function previewText({ records, matched }: Preview): string {
  const sent = records.filter(({ heldback }) => heldback === "").length;
  return `Matching events last week: ${formatNumber(matched, 0)}. Messages that would have been sent: ${formatNumber(sent, 0)}.`;
}

/** The messages that a rule would have sent. */
export function PreviewOf({ preview, names }: { preview: Preview; names: Names }) {
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), [preview]);
  const rows = preview.records.map((record, index): Message => ({ ...record, index }));
  const columns: readonly Column<Message>[] = [
    { key: "date", label: "When", class: "number", cell: ({ date }) => <Time at={date} absolute /> },
    { key: "kind", label: "Kind", cell: ({ kind }) => kind },
    {
      key: "title",
      label: "Message",
      header: true,
      class: "grow",
      cell: ({ title, events }) =>
        events.length === 1 ? <a href={`/events/${events[0]}`}>{title}</a> : title,
    },
    {
      key: "to",
      label: "To",
      cell: ({ heldback, channels }) =>
        heldback === "" ? (
          channels.map(names.channel).join(", ") || <span class="muted">no channel chosen</span>
        ) : (
          <span class="muted">not sent: {heldback}</span>
        ),
    },
  ];
  return (
    <Section title="Preview">
      <div ref={head} class="preview-head">
        <p>
          {previewText(preview)}{" "}
          {preview.taken > 0 &&
            `${formatNumber(preview.taken, 0)} more match, but an earlier rule stops further rules. `}
          {preview.truncated && "Only the newest events were checked."}
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty>No notification would have been sent.</Empty>
      ) : (
        <Table
          caption="What the rule would have sent"
          columns={columns}
          rows={rows}
          rowKey={({ index }) => index}
        />
      )}
    </Section>
  );
}
