import { useEffect, useRef } from "preact/hooks";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { Names } from "./descriptions.ts";
import { RULES } from "./rules.texts.ts";
import type { Preview } from "./types.ts";

/** A message has no id of its own, so its index is the key of its row. */
type Message = Preview["records"][number] & { index: number };

/** How many messages a rule would have sent, as a sentence. */
export function previewText({ records, matched }: Preview): string {
  const sent = records.filter(({ heldback }) => heldback === "").length;
  return RULES.previewed(matched, sent);
}

/** The messages that a rule would have sent. */
export function PreviewOf({ preview, names }: { preview: Preview; names: Names }) {
  const head = useRef<HTMLDivElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), [preview]);
  const rows = preview.records.map((record, index): Message => ({ ...record, index }));
  const columns: readonly Column<Message>[] = [
    {
      key: "date",
      label: RULES.previewColumns.date,
      class: "number",
      cell: ({ date }) => <Time at={date} absolute />,
    },
    { key: "kind", label: RULES.previewColumns.kind, cell: ({ kind }) => kind },
    {
      key: "title",
      label: RULES.previewColumns.message,
      header: true,
      class: "grow",
      cell: ({ title, events }) =>
        events.length === 1 ? <a href={`/events/${events[0]}`}>{title}</a> : title,
    },
    {
      key: "to",
      label: RULES.previewColumns.to,
      cell: ({ heldback, channels, people }) =>
        heldback === "" ? (
          [...channels.map(names.channel), ...people].join(", ") || (
            <span class="muted">{RULES.nobodyChosen}</span>
          )
        ) : (
          <span class="muted">{RULES.notSent(heldback)}</span>
        ),
    },
  ];
  return (
    <Section title={RULES.preview}>
      <div ref={head} class="preview-head">
        <p>
          {previewText(preview)} {preview.taken > 0 && RULES.previewTaken(preview.taken)}{" "}
          {preview.truncated && RULES.previewTruncated}
        </p>
      </div>
      {rows.length === 0 ? (
        <Empty>{RULES.previewNone}</Empty>
      ) : (
        <Table caption={RULES.previewCaption} columns={columns} rows={rows} rowKey={({ index }) => index} />
      )}
    </Section>
  );
}
