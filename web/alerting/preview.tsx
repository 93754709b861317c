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

/** A preview, and whether its rule is about Muster itself. */
export type ShownPreview = Preview & { ofMuster: boolean };

/** How many messages a rule would have sent, as a sentence. */
export function previewText({ records, matched, current, ofMuster }: ShownPreview): string {
  const sent = records.filter(({ heldback }) => heldback === "").length;
  return ofMuster ? RULES.previewedOfMuster(current.length, matched, sent) : RULES.previewed(matched, sent);
}

/** What the rule selects now of what is wrong with Muster itself, and whom it notifies first. */
function CurrentFindings({ findings, names }: { findings: Preview["current"]; names: Names }) {
  const columns: readonly Column<Preview["current"][number]>[] = [
    {
      key: "since",
      label: RULES.currentColumns.since,
      class: "number",
      cell: ({ since }) => <Time at={since} absolute />,
    },
    {
      key: "text",
      label: RULES.currentColumns.finding,
      header: true,
      class: "grow",
      cell: ({ text }) => <a href="/health">{text}</a>,
    },
    {
      key: "to",
      label: RULES.currentColumns.to,
      cell: ({ channels, people }) =>
        recipientsText(channels, people, names) || <span class="muted">{RULES.nobodyChosen}</span>,
    },
  ];
  return <Table caption={RULES.currentCaption} columns={columns} rows={findings} rowKey={({ id }) => id} />;
}

function recipientsText(channels: readonly number[], people: readonly string[], names: Names): string {
  return [...channels.map(names.channel), ...people].join(", ");
}

/** The messages that a rule would have sent. */
export function PreviewOf({ preview, names }: { preview: ShownPreview; names: Names }) {
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
          recipientsText(channels, people, names) || <span class="muted">{RULES.nobodyChosen}</span>
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
      {preview.current.length > 0 && <CurrentFindings findings={preview.current} names={names} />}
      {rows.length === 0 ? (
        <Empty>{RULES.previewNone}</Empty>
      ) : (
        <Table caption={RULES.previewCaption} columns={columns} rows={rows} rowKey={({ index }) => index} />
      )}
    </Section>
  );
}
