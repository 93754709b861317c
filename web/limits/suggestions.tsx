import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Names } from "../alerting/descriptions.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { Section } from "../ui/page.tsx";
import { controlColumn, RowButton } from "../ui/record-list.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { limitText, previewText } from "./limit-text.ts";
import { LIMITS } from "./limits.texts.ts";
import { METRICS } from "./metrics.ts";
import type { LimitPreview, NewLimit } from "./types.ts";

/** Days that previews of suggestions look back. */
const DAYS = 7;

/** A limit with the defaults of a new one. */
export function newLimit(key: string, fields: Partial<NewLimit> = {}): NewLimit {
  const {
    statistics = [],
    descriptor = "",
    perprocessor = false,
    period = "message",
  } = METRICS.find((metric) => metric.key === key) ?? {};
  return {
    name: "",
    enabled: true,
    statistics: [...statistics],
    descriptor,
    perprocessor,
    filter: {},
    direction: "above",
    warning: null,
    critical: null,
    period,
    timezone: "UTC",
    minutes: 10,
    clearvalue: null,
    clearminutes: 0,
    missing: "keep",
    downtime: false,
    note: "",
    runbook: "",
    ...fields,
  };
}

const SUGGESTED: readonly NewLimit[] = [
  newLimit("disk", { name: LIMITS.suggestions.disk, warning: 85, critical: 95, clearvalue: 80 }),
  newLimit("inodes", { name: LIMITS.suggestions.inodes, warning: 85, critical: 95, clearvalue: 80 }),
  newLimit("memory", { name: LIMITS.suggestions.memory, warning: 90, critical: 97, clearvalue: 85 }),
  newLimit("swap", { name: LIMITS.suggestions.swap, warning: 50, critical: 80, clearvalue: 40, minutes: 15 }),
  newLimit("cpu", { name: LIMITS.suggestions.cpu, warning: 90, clearvalue: 80, minutes: 30 }),
  newLimit("load", {
    name: LIMITS.suggestions.load,
    warning: 1.5,
    critical: 4,
    clearvalue: 1,
    minutes: 15,
  }),
  newLimit("response", { name: LIMITS.suggestions.response, warning: 2, critical: 5, clearvalue: 1 }),
];

/** Previews the limits one after the other, including those suggested again because an existing limit was deleted. */
function usePreviews(limits: readonly NewLimit[]) {
  const { api } = useMuster();
  const work = useWork();
  const previews = useSignal<Readonly<Record<string, LimitPreview>>>({});
  const wanted = useRef(limits);
  wanted.current = limits;
  const next = () => wanted.current.find(({ name }) => !(name in previews.peek()));
  useEffect(() => {
    void work.run(async () => {
      for (let limit = next(); limit; limit = next()) {
        const preview = await api.ask<LimitPreview>("/limits/preview", { limit, days: DAYS });
        previews.value = { ...previews.peek(), [limit.name]: preview };
      }
    });
  }, [limits.map(({ name }) => name).join()]);
  return { work, previews: previews.value };
}

interface SuggestionsProps {
  /** Names of existing limits. */
  existingNames: ReadonlySet<string>;
  names: Names;
  onTaken: () => Promise<void>;
}

/** Limits that are useful for many fleets. Each is inactive until it is added. */
export function Suggestions({ existingNames, names, onTaken }: SuggestionsProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const taking = useWork();
  const managed = session.groupsOf("manage");
  // A limit that a manager of host groups adds applies to all of their groups.
  const filter = managed === null ? {} : { hostgroups: [...managed] };
  const rows = SUGGESTED.filter(({ name }) => !existingNames.has(name)).map((limit) => ({
    ...limit,
    filter,
  }));
  const { work, previews } = usePreviews(rows);
  const take = (limit: NewLimit) =>
    taking.run(async () => {
      await api.send("/limits/create", limit);
      notify(LIMITS.taken(limit.name));
      await onTaken();
      keepFocus();
    });
  const columns: readonly Column<NewLimit>[] = [
    {
      key: "name",
      label: LIMITS.columns.name,
      header: true,
      class: "grow",
      cell: (limit) => {
        const preview = previews[limit.name];
        return (
          <>
            {limit.name}
            <p class="row-text">{limitText(limit, names)}</p>
            <p class="row-text preview-text">{preview ? previewText(preview, DAYS) : LIMITS.looking}</p>
          </>
        );
      },
    },
    controlColumn((limit) => (
      <RowButton
        label={LIMITS.takeOf(limit.name)}
        disabled={taking.busy.value}
        onClick={() => void take(limit)}
      >
        {LIMITS.take}
      </RowButton>
    )),
  ];
  if (rows.length === 0) return null;
  return (
    <Section title={LIMITS.suggested}>
      <p class="hint">{LIMITS.suggestedHint}</p>
      <WorkError work={taking} />
      <WorkError work={work} />
      <Table caption={LIMITS.suggested} columns={columns} rows={rows} rowKey={({ name }) => name} />
    </Section>
  );
}
