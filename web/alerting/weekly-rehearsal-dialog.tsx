import { useSignal } from "@preact/signals";
import { Field } from "../ui/fields.tsx";
import { type Each, textOf } from "../ui/form-values.ts";
import { RecordDialog } from "../ui/record-dialog.tsx";
import { Select } from "../ui/select.tsx";
import { TimeZoneField } from "../ui/time-zone-field.tsx";
import { REHEARSALS } from "./rehearsals.texts.ts";
import { HowFields, howOf } from "./rehearse.tsx";
import type { NewWeeklyRehearsal, WeeklyRehearsal } from "./types.ts";

const { fields } = REHEARSALS;
const RULE = "rule";
const MONDAY = 1;

type Named = readonly { id: number; name: string }[];

/** What can be rehearsed each week. */
export interface Rehearsable {
  rules: Named;
  schedules: Named;
}

interface WeeklyRehearsalDialogProps extends Rehearsable {
  /** Null for a new one. */
  weekly: WeeklyRehearsal | null;
  onClose: (done: boolean) => void;
}

/** The value of the choice for a rule or schedule: "rule 1". */
function choiceOf({ rule, schedule }: Pick<WeeklyRehearsal, "rule" | "schedule">): string {
  return rule === null ? `schedule ${schedule}` : `${RULE} ${rule}`;
}

function subjectOf(value: string) {
  const [kind, id] = value.split(" ");
  return kind === RULE ? { rule: Number(id), schedule: null } : { rule: null, schedule: Number(id) };
}

function SubjectFields({ weekly, rules, schedules }: Omit<WeeklyRehearsalDialogProps, "onClose">) {
  const options = [
    ...rules.map(({ id, name }) => [choiceOf({ rule: id, schedule: null }), fields.rules(name)] as const),
    ...schedules.map(
      ({ id, name }) => [choiceOf({ rule: null, schedule: id }), fields.schedules(name)] as const,
    ),
  ];
  const subject = useSignal(weekly ? choiceOf(weekly) : (options[0]?.[0] ?? ""));
  return (
    <>
      <Select
        label={fields.subject}
        name="subject"
        value={subject.value}
        options={options}
        onChange={(value) => {
          subject.value = value;
        }}
      />
      <HowFields
        hasSteps={subject.value.startsWith(RULE)}
        {...(weekly && { escalate: weekly.escalate, wait: weekly.wait })}
      />
    </>
  );
}

/** The arguments of the form. */
function weeklyIn(values: FormData) {
  return {
    ...subjectOf(textOf(values, "subject")),
    ...howOf(values),
    day: Number(textOf(values, "day")),
    time: textOf(values, "time"),
    timezone: textOf(values, "timezone"),
  } satisfies Each<Omit<NewWeeklyRehearsal, "name" | "enabled">>;
}

/** The form of a weekly rehearsal, new or existing. */
export function WeeklyRehearsalDialog({ weekly, rules, schedules, onClose }: WeeklyRehearsalDialogProps) {
  return (
    <RecordDialog
      path="/admin/weeklyrehearsals"
      record={weekly}
      texts={REHEARSALS}
      args={weeklyIn}
      onClose={onClose}
    >
      <SubjectFields weekly={weekly} rules={rules} schedules={schedules} />
      <div class="fields">
        <Select label={fields.day} name="day" value={String(weekly?.day ?? MONDAY)} options={fields.days} />
        <Field label={fields.time} name="time" type="time" defaultValue={weekly?.time ?? "14:00"} required />
        <TimeZoneField label={fields.timezone} name="timezone" value={weekly?.timezone} />
      </div>
    </RecordDialog>
  );
}
