import type { ComponentChildren } from "preact";
import type { EventRecord } from "../api/types.ts";
import { UnreadGlance } from "../glance/unread-glance.tsx";
import { useGlance } from "../glance/use-glance.ts";
import { useMuster } from "../state/muster.ts";
import { counted } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { useRowWindow } from "../ui/row-window.ts";
import { type Sort, SortHead, Spacer } from "../ui/table.tsx";
import { HostRow } from "./host-row.tsx";
import type { HostListRow, HostSection } from "./host-sections.ts";
import { HOSTS } from "./hosts.texts.ts";

/** Key, class and first direction of each column. */
const COLUMNS = [
  ["led", "col-led", "asc"],
  ["name", "col-host", "asc"],
  ["cpu", "col-value wide", "desc"],
  ["mem", "col-value wide", "desc"],
  ["disk", "col-value wide", "desc"],
  ["load", "col-load roomy", "desc"],
  ["beats", "col-beats wide", null],
  ["seen", "col-seen number wide", "desc"],
] as const;

interface SectionRowProps {
  section: HostSection;
  open: boolean;
  onToggle: (id: number) => void;
  /** Controls of the group. */
  children: ComponentChildren;
}

/** The head of a section. It is as high as a row of a host, which the window of rows relies on. */
function SectionRow({ section, open, onToggle, children }: SectionRowProps) {
  return (
    <tr data-row class="section-row">
      <th scope="rowgroup" colSpan={COLUMNS.length}>
        <div class="section-row-line">
          <button
            type="button"
            class="quiet section-toggle"
            aria-expanded={open}
            onClick={() => onToggle(section.id)}
          >
            <Icon name={open ? "down" : "next"} />
            <span class="section-name">{section.name}</span>
          </button>
          <span class="muted">{counted(section.hosts.length, "host")}</span>
          {section.down > 0 && <span class="tag tag-bad">{HOSTS.down(section.down)}</span>}
          {section.problems > 0 && <span class="tag tag-warning">{HOSTS.problems(section.problems)}</span>}
          {section.id > 0 && <span class="section-controls">{children}</span>}
        </div>
      </th>
    </tr>
  );
}

function Heads({ sort, onSort }: { sort?: Sort | undefined; onSort?: ((sort: Sort) => void) | undefined }) {
  return (
    <tr>
      {COLUMNS.map(([key, cls, firstDir]) => {
        const label = key === "led" ? <span class="sr-only">{HOSTS.columns.led}</span> : HOSTS.columns[key];
        if (onSort && firstDir)
          return (
            <SortHead
              key={key}
              column={{ key, label: HOSTS.columns[key], class: cls, firstDir, hideLabel: key === "led" }}
              sort={sort}
              onSort={onSort}
            />
          );
        return (
          <th key={key} scope="col" class={cls}>
            {label}
          </th>
        );
      })}
    </tr>
  );
}

interface HostTableProps {
  caption: string;
  rows: readonly HostListRow[];
  /** Active problems by host id, newest first. */
  problems: ReadonlyMap<number, readonly EventRecord[]>;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  onToggle?: (section: number) => void;
  /** Controls of a group. */
  controls?: (section: HostSection) => ComponentChildren;
}

/** Hosts, one per row, optionally in sections. In a long list only the visible rows are rendered. */
export function HostTable({ caption, rows, problems, sort, onSort, onToggle, controls }: HostTableProps) {
  const { view } = useMuster();
  const dense = view.dense.value;
  const shown = useRowWindow(rows.length, false, dense ? 38 : 57);
  const visible = rows.slice(shown.from, shown.to);
  const glances = useGlance(visible.flatMap((row) => ("host" in row ? row.host.id : [])));
  const spacer = { columns: COLUMNS.length };
  return (
    <>
      <UnreadGlance glances={glances} />
      <div class="table-frame table-frame-fixed">
        <table
          class={dense ? "table host-table dense" : "table host-table"}
          aria-rowcount={shown.windowed ? rows.length + 1 : undefined}
        >
          <caption class="sr-only">{caption}</caption>
          <thead>
            <Heads sort={sort} onSort={onSort} />
          </thead>
          <tbody ref={shown.start}>
            {shown.windowed && <Spacer key="before" height={shown.before} {...spacer} />}
            {visible.map((row, i) =>
              "host" in row ? (
                <HostRow
                  key={`${row.section} ${row.host.id}`}
                  host={row.host}
                  glance={glances.of.get(row.host.id)}
                  from={glances.from}
                  problems={problems.get(row.host.id) ?? []}
                  index={shown.windowed ? shown.from + i + 2 : undefined}
                />
              ) : (
                <SectionRow key={`section ${row.section.id}`} {...row} onToggle={(id) => onToggle?.(id)}>
                  {controls?.(row.section)}
                </SectionRow>
              ),
            )}
            {shown.windowed && <Spacer key="after" height={shown.after} {...spacer} />}
          </tbody>
        </table>
      </div>
    </>
  );
}
