import { formatAbsolute, formatSpan } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { type Work, WorkError } from "../ui/work.tsx";
import { previewText } from "./limit-text.ts";
import { LIMITS } from "./limits.texts.ts";
import type { LimitPreview } from "./types.ts";

/** A failure has no id of its own, so its index is the key of its row. */
type Failure = LimitPreview["records"][number] & { index: number };

/** The most failures that are shown. */
const SHOWN = 50;

function columnsOf(until: number): readonly Column<Failure>[] {
  return [
    {
      key: "place",
      label: LIMITS.previewColumns.place,
      header: true,
      class: "grow",
      cell: ({ hostid, hostname, servicename, date, approximate }) => (
        <>
          <a href={`/hosts/${hostid}`}>{hostname}</a> {servicename !== hostname && servicename}
          <p class="row-text">
            {approximate && LIMITS.about} <Time at={date} absolute />
          </p>
        </>
      ),
    },
    {
      key: "severity",
      label: LIMITS.previewColumns.severity,
      cell: ({ severity }) => LIMITS.severities[severity === 2 ? "critical" : "warning"],
    },
    {
      key: "length",
      label: LIMITS.previewColumns.length,
      class: "number",
      cell: ({ date, ended }) => (ended === 0 ? LIMITS.ongoing(until - date) : formatSpan(ended - date)),
    },
  ];
}

interface LimitPreviewProps {
  work: Work;
  /** Null until the first one. */
  preview: LimitPreview | null;
  days: number;
}

/** The failures that a limit would have opened in the past. */
export function LimitPreviewOf({ work, preview, days }: LimitPreviewProps) {
  const rows = (preview?.records ?? []).slice(0, SHOWN).map((record, index) => ({ ...record, index }));
  const isApproximate = preview?.records.some(({ approximate }) => approximate) ?? false;
  return (
    <Section title={LIMITS.preview}>
      <p class="preview-head" aria-live="polite" aria-busy={work.busy.value}>
        {preview ? previewText(preview, days) : LIMITS.previewNothing}{" "}
        {preview && preview.examined < preview.hosts && LIMITS.previewExamined(preview.examined)}{" "}
        {preview && isApproximate && LIMITS.previewApproximate(formatAbsolute(preview.exactfrom))}
      </p>
      <WorkError work={work} />
      {preview && rows.length > 0 && (
        <Table
          caption={LIMITS.previewCaption}
          columns={columnsOf(preview.dateto)}
          rows={rows}
          rowKey={({ index }) => index}
        />
      )}
    </Section>
  );
}
