import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { MONIT_SERVICE } from "../../src/monit/event-types.ts";
import { MuteButton } from "../alerting/mute-dialog.tsx";
import { hostTarget, type MuteTarget, serviceTarget } from "../alerting/mute-target.ts";
import type { IncidentList, IncidentRecord } from "../api/types.ts";
import { ProblemActions, problemOf } from "../events/problem-actions.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { wholeNumber } from "../state/router.ts";
import { itemsOf } from "../text/comma-list.ts";
import { formatDate } from "../text/format.ts";
import { GroupFilter } from "../ui/group-filter.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Select } from "../ui/select.tsx";
import { Empty, Loaded, Loading } from "../ui/states.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { IncidentRow } from "./incident-row.tsx";
import { INCIDENTS } from "./incidents.texts.ts";
import { openSections } from "./open-sections.ts";
import { Peek, PeekButton } from "./peek.tsx";

const LIVE_SECONDS = 5;
/** The most open incidents that are shown, and the most ended ones: the service cuts larger pages to this size. */
const MAX = 500;
/** Ended incidents that are shown at first, and that each click adds. */
const PAGE = 50;
/** Hours after which an acknowledgement counts as forgotten, unless the address says otherwise. */
const DEFAULT_AFTER = "24";

const FIRST_PAGE = { shown: null, startindex: null };

/** The filter in the address. */
function useFilter() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const value = (name: string) => query.get(name) ?? "";
  const set = (changes: Record<string, string>) => router.setQuery({ ...changes, ...FIRST_PAGE });
  const args = {
    hostgroupid: query.get("hostgroupid"),
    tag: itemsOf(value("tag")),
    hostid: query.get("hostid"),
  };
  const isFiltered = ["hostgroupid", "tag", "hostid"].some((name) => value(name) !== "");
  return { value, set, args, isFiltered };
}

type Filter = ReturnType<typeof useFilter>;

function Filters({ filter: { value, set } }: { filter: Filter }) {
  return (
    <search class="filters">
      <GroupFilter
        label={INCIDENTS.group}
        value={value("hostgroupid")}
        onChange={(hostgroupid) => set({ hostgroupid })}
      />
      <TagFilter
        label={INCIDENTS.tags}
        name="tag"
        placeholder={INCIDENTS.tagsHint}
        value={value("tag")}
        onChange={(tag) => set({ tag })}
      />
      <Select
        label={INCIDENTS.after}
        name="after"
        value={value("after") || DEFAULT_AFTER}
        options={INCIDENTS.afterChoices}
        onChange={(after) => set({ after })}
      />
    </search>
  );
}

/** The target for a mute of an incident: its service, or the host if that is down. */
function muteTarget({ hostid, hostname, servicename }: IncidentRecord): MuteTarget {
  const host = { id: hostid, name: hostname };
  return servicename === MONIT_SERVICE ? hostTarget(host) : serviceTarget(host, servicename);
}

interface RowsProps {
  incidents: readonly IncidentRecord[];
  label: string;
  /** Called after a change of one, to read the list anew. */
  onDone?: () => void;
}

function Rows({ incidents, label, onDone }: RowsProps) {
  return (
    <ul class="problems" aria-label={label}>
      {incidents.map((incident) => (
        <IncidentRow key={incident.id} incident={incident}>
          {onDone && (
            <>
              <ProblemActions event={problemOf(incident)} onDone={onDone} />
              <MuteButton small hostId={incident.hostid} target={muteTarget(incident)} onDone={onDone} />
            </>
          )}
          <PeekButton incident={incident} />
        </IncidentRow>
      ))}
    </ul>
  );
}

/** A part of the list that is folded, and left out while it is empty. */
function Folded({ count, label, children }: { count: number; label: string; children: ComponentChildren }) {
  if (count === 0) return null;
  return (
    <details class="folded-list">
      <summary>{label}</summary>
      {children}
    </details>
  );
}

/** Open incidents: those that need attention, then those with a forgotten acknowledgement, and folded the rest. */
function Open({ list, after, onDone }: { list: IncidentList; after: number; onDone: () => void }) {
  const { now } = useMuster();
  const { open, forgotten, acknowledged, quiet } = openSections(list.records, now.value - after);
  return (
    <>
      <Section title={INCIDENTS.open}>
        {list.more && <p class="notice">{INCIDENTS.moreOpen}</p>}
        {open.length === 0 ? (
          <Empty>{INCIDENTS.noneOpen}</Empty>
        ) : (
          <Rows incidents={open} label={INCIDENTS.open} onDone={onDone} />
        )}
      </Section>
      {forgotten.length > 0 && (
        <Section title={INCIDENTS.forgotten}>
          <p class="hint">{INCIDENTS.forgottenHint}</p>
          <Rows incidents={forgotten} label={INCIDENTS.forgotten} onDone={onDone} />
        </Section>
      )}
      <Folded count={acknowledged.length} label={INCIDENTS.acknowledged(acknowledged.length)}>
        <Rows incidents={acknowledged} label={INCIDENTS.acknowledged(acknowledged.length)} onDone={onDone} />
      </Folded>
      <Folded count={quiet.length} label={INCIDENTS.quiet(quiet.length)}>
        <Rows incidents={quiet} label={INCIDENTS.quiet(quiet.length)} onDone={onDone} />
      </Folded>
    </>
  );
}

interface EndedProps {
  list: IncidentList;
  filter: Filter;
  /** How many newer ones are skipped. */
  start: number;
  shown: number;
}

/** Ended incidents by the day on which they ended. A page beyond the last incident leads back to the first page. */
function Ended({ list, filter, start, shown }: EndedProps) {
  const { router, session } = useMuster();
  const days = Map.groupBy(list.records, ({ ended }) => formatDate(ended));
  // By the index of the list: it may still be the one of the previous page.
  const isBeyond = days.size === 0 && list.startIndex > 0;
  // The service does not count ended incidents, so the last page is not known.
  useEffect(() => {
    if (isBeyond) router.setQuery({ startindex: null });
  }, [list]);
  if (isBeyond) return <Loading />;
  if (days.size === 0) {
    const isBound = session.groupsOf("view") !== null;
    const none = isBound ? INCIDENTS.noneEndedOfSeen : INCIDENTS.noneEnded;
    return <Empty>{filter.isFiltered ? INCIDENTS.noneMatches : none}</Empty>;
  }
  return (
    <>
      {[...days].map(([day, incidents]) => (
        <div key={day} class="incident-day">
          <h3>{day}</h3>
          <Rows incidents={incidents} label={day} />
        </div>
      ))}
      {list.more && <ShowOlder start={start} shown={shown} />}
    </>
  );
}

/** Adds older incidents to the list, or replaces the list by older ones once it is full. */
function ShowOlder({ start, shown }: Pick<EndedProps, "start" | "shown">) {
  const { router } = useMuster();
  const next =
    shown < MAX
      ? { shown: String(Math.min(MAX, shown + PAGE)) }
      : { ...FIRST_PAGE, startindex: String(start + MAX) };
  return (
    <button type="button" onClick={() => router.setQuery(next)}>
      {INCIDENTS.older}
    </button>
  );
}

function ShowNewer({ start }: Pick<EndedProps, "start">) {
  const { router } = useMuster();
  const previous = Math.max(0, start - MAX);
  return (
    <button
      type="button"
      onClick={() =>
        router.setQuery({ shown: String(MAX), startindex: previous > 0 ? String(previous) : null })
      }
    >
      {INCIDENTS.newer}
    </button>
  );
}

/** Failures as incidents: open ones first, then those that ended, by day. The filter is in the address. */
export function IncidentsScreen() {
  const filter = useFilter();
  const shown = Math.max(PAGE, Math.min(MAX, wholeNumber(filter.value("shown"))));
  const start = wholeNumber(filter.value("startindex"));
  const live = { every: LIVE_SECONDS, keepPrevious: true };
  const open = useResource<IncidentList>(
    "/incidents/list",
    { ...filter.args, state: "open", results: MAX },
    { ...live, still: true },
  );
  const ended = useResource<IncidentList>(
    "/incidents/list",
    { ...filter.args, state: "ended", results: shown, startindex: start },
    live,
  );
  const endedList = useRef<HTMLDivElement>(null);
  const shownStart = useRef(start);
  useLayoutEffect(() => {
    if (shownStart.current !== start) endedList.current?.scrollIntoView();
    shownStart.current = start;
  }, [start]);
  const onDone = () => void open.refresh();
  const peek = filter.value("peek");
  const after = 3600 * Number(filter.value("after") || DEFAULT_AFTER);
  return (
    <Page title={INCIDENTS.title}>
      <div class={peek ? "with-peek" : undefined}>
        <div>
          <Filters filter={filter} />
          <Loaded from={open}>{(list) => <Open list={list} after={after} onDone={onDone} />}</Loaded>
          <div ref={endedList}>
            <Section title={INCIDENTS.ended}>
              {start > 0 && <ShowNewer start={start} />}
              <Loaded from={ended}>
                {(list) => <Ended list={list} filter={filter} start={start} shown={shown} />}
              </Loaded>
            </Section>
          </div>
        </div>
        {peek && <Peek key={peek} id={peek} />}
      </div>
    </Page>
  );
}
