import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { HOUR, MINUTE } from "../../src/platform/clock.ts";
import { ApiError } from "../api/client.ts";
import { useMuster } from "../state/muster.ts";
import { fromLocalInput } from "../text/format.ts";
import { checkedValues } from "../ui/choices.tsx";
import { DateRange } from "../ui/date-range.tsx";
import { Field } from "../ui/fields.tsx";
import { FieldsetError } from "../ui/form-error.tsx";
import { type Each, textOf } from "../ui/form-values.ts";
import { RecordDialog } from "../ui/record-dialog.tsx";
import { Check, Select } from "../ui/select.tsx";
import { TimeZoneField } from "../ui/time-zone-field.tsx";
import { DaysChoice, placeFilter, ScopeFields } from "./choices.tsx";
import { MAINTENANCE } from "./maintenance.texts.ts";
import type { References } from "./references.ts";
import type { Maintenance, NewMaintenance, Schedule } from "./types.ts";

const MAX_MINUTES = 10_080;

type Once = Extract<Schedule, { kind: "once" }>;
type Weekly = Extract<Schedule, { kind: "weekly" }>;

function WeeklyFields({ days, from, minutes, timezone }: Omit<Weekly, "kind">) {
  return (
    <>
      <DaysChoice name="days" days={days} />
      <div class="fields">
        <Field label={MAINTENANCE.startsAt} name="timeofday" type="time" defaultValue={from} required />
        <Field
          label={MAINTENANCE.minutes}
          name="minutes"
          type="number"
          min={1}
          max={MAX_MINUTES}
          defaultValue={String(minutes)}
          required
        />
        <TimeZoneField label={MAINTENANCE.timezone} name="timezone" value={timezone} />
      </div>
    </>
  );
}

/** The schedule in the form, as the API takes it. @param once the times that the form showed first */
function scheduleOf(values: FormData, kind: string, once: Pick<Once, "from" | "to">) {
  if (kind === "once")
    return {
      kind,
      from: fromLocalInput(textOf(values, "from"), once.from),
      to: fromLocalInput(textOf(values, "to"), once.to),
    };
  return {
    kind,
    days: checkedValues(values, "days").map(Number),
    from: textOf(values, "timeofday"),
    minutes: Number(textOf(values, "minutes")),
    timezone: textOf(values, "timezone"),
  };
}

/** The hosts and services that it applies to. Only administrators plan maintenance of everything. */
function PlaceFields({ window, references }: Pick<MaintenanceDialogProps, "window" | "references">) {
  const { session } = useMuster();
  return (
    <fieldset>
      <legend>{MAINTENANCE.appliesTo}</legend>
      <FieldsetError name="filter" />
      {session.isAdmin && (
        <Check
          label={MAINTENANCE.everything}
          name="everything"
          checked={window !== null && Object.keys(window.filter).length === 0}
        />
      )}
      <ScopeFields scope={window?.filter ?? {}} references={references} />
    </fieldset>
  );
}

interface MaintenanceDialogProps {
  /** Null for a new maintenance window. */
  window: Maintenance | null;
  references: References;
  onClose: (done: boolean) => void;
}

/** Creates or changes maintenance, which has to cover something: places, or explicitly everything. */
export function MaintenanceDialog({ window, references, onClose }: MaintenanceDialogProps) {
  const { now } = useMuster();
  const schedule = window?.schedule;
  const kind = useSignal<string>(schedule?.kind ?? "once");
  const once = useMemo(() => {
    const start = Math.floor(now.peek() / MINUTE) * MINUTE;
    return schedule?.kind === "once" ? schedule : { from: start, to: start + HOUR };
  }, []);
  const weekly = schedule?.kind === "weekly" ? schedule : { days: [0], from: "03:00", minutes: 60 };
  const args = (values: FormData) => {
    const filter = placeFilter(values);
    const isEverything = Object.keys(filter).length === 0;
    if (isEverything && !values.has("everything"))
      throw new ApiError(400, "argument.missing", MAINTENANCE.noScope, "filter");
    if (!isEverything && values.has("everything"))
      throw new ApiError(400, "argument.invalid", MAINTENANCE.bothScopes, "filter");
    return { filter, schedule: scheduleOf(values, kind.peek(), once) } satisfies Each<
      Omit<NewMaintenance, "name" | "enabled">
    >;
  };
  return (
    <RecordDialog path="/admin/maintenance" record={window} texts={MAINTENANCE} args={args} onClose={onClose}>
      <Select
        label={MAINTENANCE.when}
        name="kind"
        value={kind.value}
        options={MAINTENANCE.kinds}
        onChange={(next) => {
          kind.value = next;
        }}
      />
      {kind.value === "once" ? (
        <div class="fields">
          <DateRange from={once.from} until={once.to} required />
        </div>
      ) : (
        <WeeklyFields {...weekly} />
      )}
      <PlaceFields window={window} references={references} />
    </RecordDialog>
  );
}
