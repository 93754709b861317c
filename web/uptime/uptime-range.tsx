import { useMemo } from "preact/hooks";
import { DAY } from "../../src/platform/clock.ts";
import { timeIn } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { DateRange } from "../ui/date-range.tsx";
import { GroupFilter } from "../ui/group-filter.tsx";
import { Select } from "../ui/select.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { UPTIME } from "./uptime.texts.ts";
import { CALENDAR_RANGES, CUSTOM, UPTIME_RANGES } from "./uptime-ranges.ts";

/** The dates of a custom range. @param timeZone that of the report; undefined until it is known */
function CustomDates({ timeZone }: { timeZone?: string | undefined }) {
  const { router, now } = useMuster();
  const query = router.address.value.query;
  // A range that moved with time would replace what is being typed.
  const opened = useMemo(() => now.peek(), []);
  return (
    <DateRange
      from={timeIn(query, "datefrom") ?? opened - DAY}
      until={timeIn(query, "dateto") ?? opened}
      timeZone={timeZone}
      onChange={(from, until) => {
        if (from !== null && until !== null)
          router.setQuery({ datefrom: String(from), dateto: String(until) });
      }}
    />
  );
}

/** Chooses hosts by group and tag. */
function HostsChoice() {
  const { router } = useMuster();
  const { query } = router.address.value;
  return (
    <>
      <GroupFilter
        label={UPTIME.group}
        value={query.get("group") ?? ""}
        onChange={(group) => router.setQuery({ group })}
      />
      <TagFilter
        label={UPTIME.tags}
        name="tag"
        placeholder={UPTIME.tagsHint}
        value={query.get("tag") ?? ""}
        onChange={(value) => router.setQuery({ tag: value })}
      />
    </>
  );
}

interface RangeChoiceProps {
  range: number;
  ofHost: boolean;
  timeZone: string | undefined;
}

/** Chooses the range of a report and, if it is one of hosts, which. They are in the address. */
export function RangeChoice({ range, ofHost, timeZone }: RangeChoiceProps) {
  const { router, now } = useMuster();
  const choose = (code: number) =>
    router.setQuery({
      range: String(code),
      datefrom: code === CUSTOM ? String(now.peek() - DAY) : null,
      dateto: code === CUSTOM ? String(now.peek()) : null,
    });
  return (
    <div class="filters">
      <fieldset class="choices">
        <legend class="sr-only">{UPTIME.range}</legend>
        {UPTIME_RANGES.map(([code, text]) => (
          <button key={code} type="button" aria-pressed={range === code} onClick={() => choose(code)}>
            {text}
          </button>
        ))}
      </fieldset>
      <Select
        label={UPTIME.calendar}
        name="calendar"
        value={CALENDAR_RANGES.some(([code]) => code === range) ? String(range) : ""}
        options={[
          ["", UPTIME.noPeriod],
          ...CALENDAR_RANGES.map(([code, text]) => [String(code), text] as const),
        ]}
        onChange={(code) => choose(Number(code))}
      />
      {range === CUSTOM && <CustomDates timeZone={timeZone} />}
      {!ofHost && <HostsChoice />}
    </div>
  );
}
