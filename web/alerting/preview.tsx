import { useEffect, useRef } from "preact/hooks";
import { counted, formatNumber } from "../text/format.ts";
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
  const fit = `${counted(matched, "event")} of the last week ${matched === 1 ? "fits" : "fit"} the rule`;
  return `${fit}: ${counted(sent, "message")} would have been sent.`;
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
            `${formatNumber(preview.taken, 0)} more fit, but a rule before this one has the last word. `}
          {preview.truncated && "There were too many events: only the newest were looked at."}
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty>Nothing happened that it would have notified of.</Empty>
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
