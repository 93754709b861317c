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

/** Schedules of people on call: who is on call now, and two weeks of each. Administrators change them. */
export function OnCallScreen() {
  const { now, session } = useMuster();
  const days = daysFrom(now.value);
  const schedules = useResource<Records<OnCallSchedule>>("/oncall/list");
  const span = { from: days[0] ?? 0, to: days.at(-1) ?? 0 };
  const calendars = useResource<Records<OnCallCalendar>>("/oncall/calendar", span, { every: LIVE_SECONDS });
  const { dialog, open, onClose } = useDialog<OpenDialog>(async () => {
    await Promise.all([schedules.refresh(), calendars.refresh()]);
  }, savedOrDeleted);
  const isAdmin = session.isAdmin;
  return (
    <Page
      title={ON_CALL.title}
      aside={
        isAdmin && (
          <NewButton onClick={open({ name: "edit", schedule: null })}>{ON_CALL.createTitle}</NewButton>
        )
      }
    >
      <OnCallLine />
      <Loaded from={calendars}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{ON_CALL.none}</Empty>
          ) : (
            records.map((calendar) => {
              const schedule = schedules.data.value?.records.find(({ id }) => id === calendar.id);
              return (
                <Section
                  key={calendar.id}
                  title={calendar.name}
                  aside={
                    isAdmin &&
                    schedule && (
                      <span class="controls">
                        <RehearseButton target={{ schedule: calendar.id, name: calendar.name }} />
                        <EditButton name={calendar.name} onClick={open({ name: "edit", schedule })} />
                        <DeleteButton name={calendar.name} onClick={open({ name: "delete", schedule })} />
                      </span>
                    )
                  }
                >
                  <Calendar
                    calendar={calendar}
                    days={days}
                    onOpen={(shift) => open({ name: "override", scheduleId: calendar.id, shift })()}
                  />
                  <p class="muted">{ON_CALL.inZone(calendar.timezone)}</p>
                </Section>
              );
            })
          )
        }
      </Loaded>
      {dialog && <OpenedDialog dialog={dialog} onClose={onClose} />}
    </Page>
  );
}
