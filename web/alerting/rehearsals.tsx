import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { wholeNumber } from "../state/router.ts";
import { Section } from "../ui/page.tsx";
import { PagedTable } from "../ui/paged-table.tsx";
import { RecordList } from "../ui/record-list.tsx";
import { Loaded, Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { REHEARSALS } from "./rehearsals.texts.ts";
import { type RehearsalTarget, RehearseButton } from "./rehearse.tsx";
import type {
  OnCallSchedule,
  Records,
  Rehearsal,
  RehearsalList,
  RehearsalSuggestion,
  RehearsalSuggestions,
  Rule,
  WeeklyRehearsal,
} from "./types.ts";
import { type Rehearsable, WeeklyRehearsalDialog } from "./weekly-rehearsal-dialog.tsx";

const PAGE = 50;
const REFRESH_SECONDS = 10;
const MAX_TARGETS = 3;

/** Buttons that rehearse rules and schedules which reach a channel. A few suffice: one rehearsal tries the channel. */
function Targets({ suggestion: { rules, schedules } }: { suggestion: RehearsalSuggestion }) {
  const targets: readonly RehearsalTarget[] = [
    ...rules.map(({ id: rule, name }) => ({ rule, name })),
    ...schedules.map(({ id: schedule, name }) => ({ schedule, name })),
  ];
  if (targets.length === 0) return <span class="muted">{REHEARSALS.reachedByNothing}</span>;
  const omitted = targets.length - MAX_TARGETS;
  return (
    <div class="row-buttons">
      {targets.slice(0, MAX_TARGETS).map((target) => (
        <RehearseButton key={JSON.stringify(target)} target={target} text={target.name} />
      ))}
      {omitted > 0 && <span class="muted">{REHEARSALS.moreTargets(omitted)}</span>}
    </div>
  );
}

const SUGGESTION_COLUMNS: readonly Column<RehearsalSuggestion>[] = [
  {
    key: "channel",
    label: REHEARSALS.suggestionColumns.channel,
    header: true,
    class: "grow",
    cell: ({ channel }) => channel,
  },
  {
    key: "last",
    label: REHEARSALS.suggestionColumns.last,
    cell: ({ last }) =>
      last === null ? <span class="muted">{REHEARSALS.neverDelivered}</span> : <Time at={last} />,
  },
  {
    key: "targets",
    label: REHEARSALS.suggestionColumns.control,
    class: "delivery",
    cell: (suggestion) => <Targets suggestion={suggestion} />,
  },
];

/** Channels that may no longer work, as nothing was delivered through them. Only administrators see them. */
function Suggestions() {
  const { session } = useMuster();
  const isAdmin = session.isAdmin;
  const list = useResource<RehearsalSuggestions>("/admin/rehearsals/suggestions", {}, { skip: !isAdmin });
  const records = list.data.value?.records ?? [];
  if (records.length === 0) return <Unread from={list} what={REHEARSALS.suggestionsCaption} />;
  return (
    <Section title={REHEARSALS.suggestions}>
      <p class="muted">{REHEARSALS.suggestionsHint}</p>
      <Table
        caption={REHEARSALS.suggestionsCaption}
        columns={SUGGESTION_COLUMNS}
        rows={records}
        rowKey={({ channelid }) => channelid}
      />
    </Section>
  );
}

function subjectName({ rule, schedule }: WeeklyRehearsal, { rules, schedules }: Rehearsable): string {
  const nameIn = (list: Rehearsable["rules"], id: number | null) =>
    list.find((each) => each.id === id)?.name ?? "";
  return rule === null
    ? REHEARSALS.ofSchedule(nameIn(schedules, schedule))
    : REHEARSALS.ofRule(nameIn(rules, rule));
}

function weeklyColumns(rehearsable: Rehearsable): readonly Column<WeeklyRehearsal>[] {
  return [
    {
      key: "name",
      label: REHEARSALS.weeklyColumns.name,
      header: true,
      class: "grow",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: (weekly) => (
        <>
          {weekly.name} {!weekly.enabled && <span class="tag">{REHEARSALS.off}</span>}{" "}
          {weekly.escalate && <span class="tag">{REHEARSALS.escalates}</span>}
          <p class="row-text">
            {REHEARSALS.weeklyText({
              of: subjectName(weekly, rehearsable),
              day: weekly.day,
              time: weekly.time,
              timezone: weekly.timezone ?? "",
            })}
          </p>
        </>
      ),
    },
    {
      key: "next",
      label: REHEARSALS.weeklyColumns.next,
      cell: ({ next }) => next !== null && <Time at={next} />,
    },
  ];
}

/** What is rehearsed each week. */
function Weekly() {
  const list = useResource<Records<WeeklyRehearsal>>(
    "/admin/weeklyrehearsals/list",
    {},
    { every: REFRESH_SECONDS },
  );
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const schedules = useResource<Records<OnCallSchedule>>("/oncall/list");
  const { session } = useMuster();
  const isAdmin = session.isAdmin;
  const rehearsable = {
    rules: rules.data.value?.records ?? [],
    schedules: isAdmin ? (schedules.data.value?.records ?? []) : [],
  };
  return (
    <Section title={REHEARSALS.weekly}>
      <Loaded from={rules}>
        {() => (
          <Loaded from={schedules}>
            {() => (
              <RecordList
                path="/admin/weeklyrehearsals"
                from={list}
                caption={REHEARSALS.weeklyCaption}
                columns={weeklyColumns(rehearsable)}
                none={REHEARSALS.noWeekly}
                form={(weekly, onClose) => (
                  <WeeklyRehearsalDialog weekly={weekly} {...rehearsable} onClose={onClose} />
                )}
                texts={REHEARSALS}
                deleteHint={() => REHEARSALS.deleteHint}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

function Result({ rehearsal: { ended, outcome, acknowledged, notified, asleep } }: { rehearsal: Rehearsal }) {
  if (outcome !== "" && notified === 0)
    return (
      <>
        <span class="tag tag-first">{REHEARSALS.notHeld}</span>
        <p class="row-text">{outcome}</p>
      </>
    );
  return (
    <>
      {ended === null && <span class="tag tag-first">{REHEARSALS.ongoing}</span>}{" "}
      {REHEARSALS.awake(acknowledged, notified)}
      {ended !== null && asleep.length > 0 && <p class="row-text">{REHEARSALS.asleep(asleep)}</p>}
    </>
  );
}

const COLUMNS: readonly Column<Rehearsal>[] = [
  {
    key: "of",
    label: REHEARSALS.columns.of,
    header: true,
    class: "grow",
    cell: ({ id, of, ruleid }) => (
      <a href={`/rehearsals/${id}`}>{ruleid === null ? REHEARSALS.ofSchedule(of) : REHEARSALS.ofRule(of)}</a>
    ),
  },
  { key: "date", label: REHEARSALS.columns.date, cell: ({ date }) => <Time at={date} /> },
  {
    key: "result",
    label: REHEARSALS.columns.result,
    class: "delivery",
    cell: (rehearsal) => <Result rehearsal={rehearsal} />,
  },
];

/** The rehearsals of the last 90 days. */
function Held() {
  const { router } = useMuster();
  const start = wholeNumber(router.address.value.query.get("startindex"));
  const list = useResource<RehearsalList>(
    "/admin/rehearsals/list",
    { startindex: start, results: PAGE },
    { every: REFRESH_SECONDS, keepPrevious: true },
  );
  return (
    <Section title={REHEARSALS.held}>
      <PagedTable
        from={list}
        start={start}
        size={PAGE}
        caption={REHEARSALS.heldCaption}
        columns={COLUMNS}
        none={REHEARSALS.none}
      />
    </Section>
  );
}

/** Rehearsals of rules and schedules: suggestions, those that are held every week, and the results. */
export function Rehearsals() {
  return (
    <>
      <Suggestions />
      <Weekly />
      <Held />
    </>
  );
}
