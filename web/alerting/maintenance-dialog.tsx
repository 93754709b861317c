import { useSignal } from "@preact/signals";
import { ApiError } from "../api/client.ts";
import { useMuster } from "../state/muster.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { Check, Field, Select, textOf } from "../ui/form.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { checkedValues, DaysChoice, listArgument, ScopeFields, scopeArguments } from "./choices.tsx";
import { MAINTENANCE } from "./maintenance.texts.ts";
import type { References } from "./references.ts";
import type { Maintenance, Schedule } from "./types.ts";

const HOUR = 3600;
const MAX_MINUTES = 10_080;

type Once = Extract<Schedule, { kind: "once" }>;
type Weekly = Extract<Schedule, { kind: "weekly" }>;

function OnceFields({ from, to }: Pick<Once, "from" | "to">) {
  return (
    <div class="fields">
      <Field
        label={MAINTENANCE.from}
        name="from"
        type="datetime-local"
        defaultValue={toLocalInput(from)}
        required
      />
      <Field
        label={MAINTENANCE.to}
        name="to"
        type="datetime-local"
        defaultValue={toLocalInput(to)}
        required
      />
    </div>
  );
}

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
        <Field label={MAINTENANCE.timezone} name="timezone" defaultValue={timezone} required />
      </div>
    </>
  );
}

function scheduleArguments(values: FormData, kind: string) {
  if (kind === "once")
    return {
      from: fromLocalInput(textOf(values, "from")),
      to: fromLocalInput(textOf(values, "to")),
    };
  return {
    days: listArgument(checkedValues(values, "days")),
    timeofday: textOf(values, "timeofday"),
    minutes: textOf(values, "minutes"),
    timezone: textOf(values, "timezone"),
  };
}

/** What it applies to. Only administrators plan maintenance of everything. */
function PlaceFields({ window, references }: Pick<MaintenanceDialogProps, "window" | "references">) {
  const { session } = useMuster();
  return (
    <fieldset>
      <legend>{MAINTENANCE.appliesTo}</legend>
      {session.user.value?.admin && (
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
  /** Null for a new one. */
  window: Maintenance | null;
  references: References;
  onClose: (done: boolean) => void;
}

export function MaintenanceDialog({ window, references, onClose }: MaintenanceDialogProps) {
  const { api, now } = useMuster();
  const schedule = window?.schedule;
  const kind = useSignal<string>(schedule?.kind ?? "once");
  const start = now.peek();
  const once = schedule?.kind === "once" ? schedule : { from: start, to: start + HOUR };
  const weekly =
    schedule?.kind === "weekly"
      ? schedule
      : {
          days: [0],
          from: "03:00",
          minutes: 60,
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        };
  const save = async (values: FormData) => {
    const scope = scopeArguments(values);
    const isEverything = Object.values(scope).every((list) => list.every((item) => item === ""));
    if (isEverything && !values.has("everything"))
      throw new ApiError(400, "argument.missing", MAINTENANCE.noScope);
    if (!isEverything && values.has("everything"))
      throw new ApiError(400, "argument.invalid", MAINTENANCE.bothScopes);
    const args = {
      name: textOf(values, "name"),
      enabled: values.has("enabled"),
      ...scope,
      everything: isEverything,
      ...scheduleArguments(values, kind.peek()),
    };
    if (window) await api.post("/admin/maintenance/update", { id: window.id, ...args });
    else await api.post("/admin/maintenance/create", args);
  };
  return (
    <FormDialog
      title={window ? MAINTENANCE.changeTitle(window.name) : MAINTENANCE.newMaintenance}
      verb={window ? MAINTENANCE.save : MAINTENANCE.create}
      act={save}
      onClose={onClose}
    >
      <Field
        label={MAINTENANCE.name}
        name="name"
        defaultValue={window?.name ?? ""}
        required
        maxLength={255}
        autoFocus
      />
      <Check label={MAINTENANCE.enabled} name="enabled" checked={window?.enabled ?? true} />
      <Select
        label={MAINTENANCE.when}
        name="kind"
        value={kind.value}
        options={MAINTENANCE.kinds}
        onChange={(next) => {
          kind.value = next;
        }}
      />
      {kind.value === "once" ? <OnceFields {...once} /> : <WeeklyFields {...weekly} />}
      <PlaceFields window={window} references={references} />
    </FormDialog>
  );
}
