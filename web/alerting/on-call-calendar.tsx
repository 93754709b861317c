import { useMuster } from "../state/muster.ts";
import { formatClock, formatMinute, formatWeekday, isoDate } from "../text/format.ts";
import { ON_CALL } from "./on-call.texts.ts";
import type { OnCallCalendar, OnCallShift } from "./types.ts";

const DAYS_SHOWN = 14;

/** The starts of days in the browser's time zone, including the day after the last one shown. @param at unix seconds */
export function daysFrom(at: number): number[] {
  const first = new Date(at * 1000);
  return Array.from({ length: DAYS_SHOWN + 1 }, (_, i) => {
    const day = new Date(first.getFullYear(), first.getMonth(), first.getDate() + i);
    return Math.floor(day.getTime() / 1000);
  });
}

function nameOf({ uname, fullname }: OnCallShift): string {
  return fullname || uname || ON_CALL.nobody;
}

interface ShiftProps {
  shift: OnCallShift;
  /** The part of the shift that is on this day. */
  from: number;
  to: number;
  onOpen: (shift: OnCallShift) => void;
}

/** One shift on one day; a button for those who may override it. */
function ShiftOfDay({ shift, from, to, onOpen }: ShiftProps) {
  const { session, now } = useMuster();
  const text = (
    <>
      <small>{`${formatClock(from)}–${formatClock(to)}`}</small> {nameOf(shift)}
      {shift.overrideid !== null && <small> {ON_CALL.overridden}</small>}
    </>
  );
  const kind = shift.uname === "" ? "on-call-shift on-call-gap" : "on-call-shift";
  if (!session.isAdmin || shift.to <= now.peek()) return <span class={kind}>{text}</span>;
  return (
    <button
      type="button"
      class={kind}
      aria-label={ON_CALL.overrideOf(nameOf(shift), formatMinute(from))}
      onClick={() => onOpen({ ...shift, from, to })}
    >
      {text}
    </button>
  );
}

interface CalendarProps {
  calendar: OnCallCalendar;
  /** As returned by `daysFrom`. */
  days: readonly number[];
  onOpen: (shift: OnCallShift) => void;
}

/** Two weeks of a schedule, one cell per day. Gaps are red. */
export function Calendar({ calendar, days, onOpen }: CalendarProps) {
  return (
    <ol class="on-call-calendar" aria-label={ON_CALL.calendarOf(calendar.name)}>
      {days.slice(0, -1).map((day, i) => {
        const end = days[i + 1] ?? day;
        const shifts = calendar.shifts.filter(({ from, to }) => from < end && to > day);
        return (
          <li key={day}>
            <time dateTime={isoDate(day)}>{formatWeekday(day)}</time>
            {shifts.map((shift) => (
              <ShiftOfDay
                key={shift.from}
                shift={shift}
                from={Math.max(shift.from, day)}
                to={Math.min(shift.to, end)}
                onOpen={onOpen}
              />
            ))}
          </li>
        );
      })}
    </ol>
  );
}
