import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { Page, Section } from "../ui/page.tsx";
import { DeleteButton, EditButton, NewButton } from "../ui/record-list.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { savedOrDeleted, useDialog } from "../ui/use-dialog.ts";
import { ON_CALL } from "./on-call.texts.ts";
import { Calendar, daysFrom } from "./on-call-calendar.tsx";
import { OnCallLine } from "./on-call-now.tsx";
import { OverrideDialog } from "./on-call-override.tsx";
import { ScheduleDialog } from "./on-call-schedule.tsx";
import { RehearseButton } from "./rehearse.tsx";
import type { OnCallCalendar, OnCallSchedule, OnCallShift, Records } from "./types.ts";

const LIVE_SECONDS = 30;

type OpenDialog =
  | { name: "edit"; schedule: OnCallSchedule | null }
  | { name: "delete"; schedule: OnCallSchedule }
  | { name: "override"; scheduleId: number; shift: OnCallShift };

function OpenedDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: (done: boolean) => void }) {
  if (dialog.name === "edit") return <ScheduleDialog schedule={dialog.schedule} onClose={onClose} />;
  if (dialog.name === "override")
    return <OverrideDialog scheduleId={dialog.scheduleId} shift={dialog.shift} onClose={onClose} />;
  return (
    <ConfirmDelete operation="/oncall/delete" record={dialog.schedule} texts={ON_CALL} onClose={onClose}>
      <p>{ON_CALL.deleteText}</p>
    </ConfirmDelete>
  );
}

interface ScheduleSectionProps {
  calendar: OnCallCalendar;
  /** Absent if it was created since the schedules were read. */
  schedule: OnCallSchedule | undefined;
  days: readonly number[];
  open: (dialog: OpenDialog) => () => void;
}

/** Two weeks of a schedule, and what administrators can do with it. */
function ScheduleSection({ calendar, schedule, days, open }: ScheduleSectionProps) {
  const { session } = useMuster();
  const { id, name, timezone } = calendar;
  return (
    <Section
      title={name}
      aside={
        session.isAdmin &&
        schedule && (
          <span class="controls">
            <RehearseButton target={{ schedule: id, name }} />
            <EditButton name={name} onClick={open({ name: "edit", schedule })} />
            <DeleteButton name={name} onClick={open({ name: "delete", schedule })} />
          </span>
        )
      }
    >
      <Calendar
        calendar={calendar}
        days={days}
        onOpen={(shift) => open({ name: "override", scheduleId: id, shift })()}
      />
      <p class="muted">{ON_CALL.inZone(timezone)}</p>
    </Section>
  );
}

/** Schedules of people on call: who is on call now, and two weeks of each. Administrators change them. */
export function OnCallScreen() {
  const { now, session } = useMuster();
  const days = daysFrom(now.value);
  const schedules = useResource<Records<OnCallSchedule>>("/oncall/list", {}, { every: LIVE_SECONDS });
  const span = { from: days[0] ?? 0, to: days.at(-1) ?? 0 };
  const calendars = useResource<Records<OnCallCalendar>>("/oncall/calendar", span, { every: LIVE_SECONDS });
  const { dialog, open, onClose } = useDialog<OpenDialog>(async () => {
    await Promise.all([schedules.refresh(), calendars.refresh()]);
  }, savedOrDeleted);
  return (
    <Page
      title={ON_CALL.title}
      aside={
        session.isAdmin && (
          <NewButton onClick={open({ name: "edit", schedule: null })}>{ON_CALL.createTitle}</NewButton>
        )
      }
    >
      <OnCallLine />
      <Loaded from={schedules}>
        {(list) => (
          <Loaded from={calendars}>
            {({ records }) =>
              records.length === 0 ? (
                <Empty>{ON_CALL.none}</Empty>
              ) : (
                records.map((calendar) => (
                  <ScheduleSection
                    key={calendar.id}
                    calendar={calendar}
                    schedule={list.records.find(({ id }) => id === calendar.id)}
                    days={days}
                    open={open}
                  />
                ))
              )
            }
          </Loaded>
        )}
      </Loaded>
      {dialog && <OpenedDialog dialog={dialog} onClose={onClose} />}
    </Page>
  );
}
