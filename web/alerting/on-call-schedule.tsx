import { useSignal } from "@preact/signals";
import { useMuster } from "../state/muster.ts";
import { isoDate } from "../text/format.ts";
import { checkedValues, commaSeparated } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { type FormPart, useFormParts } from "../ui/form-parts.ts";
import { type Each, textOf } from "../ui/form-values.ts";
import { RecordDialog } from "../ui/record-dialog.tsx";
import { Check, Select } from "../ui/select.tsx";
import { TimeZoneField } from "../ui/time-zone-field.tsx";
import { DaysChoice } from "./choices.tsx";
import { ON_CALL } from "./on-call.texts.ts";
import { PeopleField } from "./people.tsx";
import type { NewOnCallSchedule, OnCallRotation, OnCallSchedule } from "./types.ts";

const WORKDAYS: readonly number[] = [1, 2, 3, 4, 5];

function HoursFields({ id, hours }: { id: number; hours: OnCallRotation["hours"] }) {
  const on = useSignal(hours !== null);
  return (
    <>
      <Check
        label={ON_CALL.ownHours}
        name={`hours${id}`}
        checked={on.value}
        onChange={(checked) => {
          on.value = checked;
        }}
      />
      {on.value && (
        <>
          <DaysChoice name={`days${id}`} days={hours?.days ?? WORKDAYS} />
          <div class="fields">
            <Field
              label={ON_CALL.hoursFrom}
              name={`from${id}`}
              type="time"
              defaultValue={hours?.from ?? "09:00"}
              required
            />
            <Field
              label={ON_CALL.hoursTo}
              name={`to${id}`}
              type="time"
              defaultValue={hours?.to ?? "17:00"}
              required
            />
          </div>
        </>
      )}
    </>
  );
}

interface RotationProps {
  part: FormPart<OnCallRotation>;
  number: number;
}

function RotationFields({ part: { key: id, initial: rotation }, number }: RotationProps) {
  return (
    <>
      <legend>{ON_CALL.rotation(number)}</legend>
      <Field label={ON_CALL.rotationName} name={`name${id}`} defaultValue={rotation.name} maxLength={255} />
      <PeopleField
        label={ON_CALL.people}
        name={`users${id}`}
        users={rotation.users}
        hint={ON_CALL.peopleHint}
        required
      />
      <div class="fields">
        <Field
          label={ON_CALL.start}
          name={`start${id}`}
          defaultValue={rotation.start}
          placeholder="2026-01-31"
          required
        />
        <Field
          label={ON_CALL.handover}
          name={`handover${id}`}
          type="time"
          defaultValue={rotation.handover}
          required
        />
        <Field
          label={ON_CALL.every}
          name={`every${id}`}
          type="number"
          min={1}
          max={366}
          defaultValue={String(rotation.every)}
          required
        />
        <Select label={ON_CALL.unit} name={`unit${id}`} value={rotation.unit} options={ON_CALL.units} />
      </div>
      <HoursFields id={id} hours={rotation.hours} />
    </>
  );
}

/** The rotation in the form. */
function rotationOf(values: FormData, id: string) {
  return {
    name: textOf(values, `name${id}`),
    users: commaSeparated(values, `users${id}`),
    start: textOf(values, `start${id}`),
    handover: textOf(values, `handover${id}`),
    unit: textOf(values, `unit${id}`),
    every: Number(textOf(values, `every${id}`)),
    hours: values.has(`hours${id}`)
      ? {
          days: checkedValues(values, `days${id}`).map(Number),
          from: textOf(values, `from${id}`),
          to: textOf(values, `to${id}`),
        }
      : null,
  } satisfies Each<OnCallRotation>;
}

/** The fields of a schedule's rotations. @param rotations null for a new schedule */
function RotationsFields({ rotations }: { rotations: readonly OnCallRotation[] | null }) {
  const { now, session } = useMuster();
  const fresh = (): OnCallRotation => ({
    name: "",
    users: [session.user.peek()?.uname ?? ""],
    start: isoDate(now.peek()),
    handover: "09:00",
    unit: "week",
    every: 1,
    hours: null,
  });
  const { parts, add, remove } = useFormParts("rotation", rotations ?? [fresh()], fresh);
  return (
    <div class="form" data-list="rotation">
      {parts.map((part, i) => (
        <fieldset key={part.key}>
          <input type="hidden" name="rotation" value={part.key} />
          <RotationFields part={part} number={i + 1} />
          <button type="button" class="small" onClick={remove(part)}>
            {ON_CALL.removeRotation}
          </button>
        </fieldset>
      ))}
      <button type="button" class="small" onClick={add}>
        {ON_CALL.addRotation}
      </button>
    </div>
  );
}

interface ScheduleDialogProps {
  /** Null for a new schedule. */
  schedule: OnCallSchedule | null;
  onClose: (done: boolean) => void;
}

/** The arguments of the form. */
function scheduleIn(values: FormData) {
  return {
    timezone: textOf(values, "timezone"),
    rotations: checkedValues(values, "rotation").map((key) => rotationOf(values, key)),
    noticeminutes: Number(textOf(values, "noticeminutes")),
    handovernotice: values.has("handovernotice"),
  } satisfies Each<Omit<NewOnCallSchedule, "name">>;
}

/** Name, time zone and rotations of a schedule. */
export function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  return (
    <RecordDialog path="/oncall" record={schedule} texts={ON_CALL} args={scheduleIn} onClose={onClose}>
      <TimeZoneField label={ON_CALL.timezone} name="timezone" value={schedule?.timezone} />
      <p class="muted">{ON_CALL.rotationsHint}</p>
      <RotationsFields rotations={schedule?.rotations ?? null} />
      <Field
        label={ON_CALL.notice}
        name="noticeminutes"
        type="number"
        min={0}
        max={2880}
        defaultValue={String(schedule?.noticeminutes ?? 0)}
        hint={ON_CALL.noticeHint}
        required
      />
      <Check
        label={ON_CALL.handoverNotice}
        name="handovernotice"
        checked={schedule?.handovernotice ?? false}
      />
    </RecordDialog>
  );
}
