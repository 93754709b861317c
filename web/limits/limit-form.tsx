import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ScopeFields } from "../alerting/choices.tsx";
import type { EditFormProps } from "../alerting/edit-screen.tsx";
import type { References } from "../alerting/references.ts";
import { useMuster } from "../state/muster.ts";
import { listText } from "../text/comma-list.ts";
import { SERVICE_TYPES } from "../text/type-names.ts";
import { CheckboxGroup } from "../ui/choices.tsx";
import { useDebounce } from "../ui/debounce.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Check, Select } from "../ui/select.tsx";
import { TimeZoneField } from "../ui/time-zone-field.tsx";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { useWork } from "../ui/work.tsx";
import { limitArguments } from "./limit-arguments.ts";
import { LimitPreviewOf } from "./limit-preview.tsx";
import { LIMITS } from "./limits.texts.ts";
import { METRICS, metricOf } from "./metrics.ts";
import { MonthSums } from "./month-sums.tsx";
import type { LimitPreview, NewLimit } from "./types.ts";

const PREVIEW_DAYS = 30;
/** Pause after the last change before the preview is computed again, milliseconds. */
const SETTLED_MS = 700;

/** A value as it is typed. @param scale of its metric */
const text = (value: number | null, scale: number) => (value === null ? "" : String(value / scale));

function MetricFields({ limit }: { limit: NewLimit }) {
  const current = metricOf(limit);
  const selectedKey = useSignal(current.key);
  const metrics = [...(current.key === "own" ? [current] : []), ...METRICS];
  const { unit, period } = metrics.find(({ key }) => key === selectedKey.value) ?? current;
  const isMonth = period === "month";
  const direction = useSignal(limit.direction);
  return (
    <fieldset>
      <legend>{LIMITS.whenItWarns}</legend>
      <Select
        label={LIMITS.number}
        name="number"
        value={selectedKey.value}
        options={metrics.map(({ key, label }) => [key, label] as const)}
        onChange={(key) => {
          selectedKey.value = key;
        }}
      />
      {isMonth ? (
        <TimeZoneField
          label={LIMITS.month.timezone}
          name="timezone"
          value={limit.period === "month" ? limit.timezone : undefined}
          hint={LIMITS.month.timezoneHint}
        />
      ) : (
        <Select
          label={LIMITS.direction}
          name="direction"
          value={direction.value}
          options={LIMITS.directions}
          onChange={(value) => {
            direction.value = value === "below" ? "below" : "above";
          }}
        />
      )}
      <div class="fields">
        <Field
          label={LIMITS.warning[isMonth ? "above" : direction.value]}
          note={unit}
          name="warning"
          defaultValue={text(limit.warning, current.scale)}
        />
        <Field
          label={LIMITS.critical[isMonth ? "above" : direction.value]}
          note={unit}
          name="critical"
          defaultValue={text(limit.critical, current.scale)}
        />
      </div>
      <Field
        label={LIMITS.minutes}
        note={LIMITS.minutesUnit}
        name="minutes"
        type="number"
        min={0}
        max={10080}
        defaultValue={String(limit.minutes)}
      />
    </fieldset>
  );
}

/** When a failure ends, and other fields that few limits need. Folded away unless one is set. */
function RareFields({ limit }: { limit: NewLimit }) {
  const isUsed =
    limit.clearvalue !== null || limit.clearminutes > 0 || limit.missing !== "keep" || limit.downtime;
  return (
    <details open={isUsed}>
      <summary>{LIMITS.rare}</summary>
      <div class="form">
        <div class="fields">
          <Field
            label={LIMITS.clearValue}
            name="clearvalue"
            defaultValue={text(limit.clearvalue, metricOf(limit).scale)}
            hint={LIMITS.clearValueHint}
          />
          <Field
            label={LIMITS.clearMinutes}
            note={LIMITS.minutesUnit}
            name="clearminutes"
            type="number"
            min={0}
            max={10080}
            defaultValue={String(limit.clearminutes)}
          />
        </div>
        <Select
          label={LIMITS.missing}
          name="missing"
          value={limit.missing}
          options={LIMITS.missingChoices}
          hint={LIMITS.missingHint}
        />
        <Check label={LIMITS.downtime} name="downtime" checked={limit.downtime} />
      </div>
    </details>
  );
}

function PlaceFields({ limit, references }: { limit: NewLimit; references: References }) {
  const { hostnames = [], servicetypes = [] } = limit.filter;
  return (
    <fieldset>
      <legend>{LIMITS.appliesTo}</legend>
      <ScopeFields scope={limit.filter} references={references} />
      <details open={hostnames.length + servicetypes.length > 0}>
        <summary>{LIMITS.places}</summary>
        <div class="form">
          <Field
            label={LIMITS.hostNames}
            name="hostname"
            defaultValue={listText(hostnames)}
            hint={LIMITS.hostNamesHint}
          />
          <CheckboxGroup
            legend={LIMITS.serviceTypes}
            name="servicetype"
            options={SERVICE_TYPES.map((name, code) => [code, name] as const)}
            chosen={servicetypes}
            hint={LIMITS.noneIsAll}
          />
        </div>
      </details>
    </fieldset>
  );
}

/** Previews the limit in the form whenever it is valid and has not changed for a moment. */
function useLivePreview(id: number | null, limit: NewLimit) {
  const { api } = useMuster();
  const work = useWork();
  const preview = useSignal<LimitPreview | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const { delay } = useDebounce(SETTLED_MS);
  const run = () => {
    const form = frame.current?.querySelector("form");
    if (!form) return;
    const values = new FormData(form);
    const isBounded = ["warning", "critical"].some((name) => textOf(values, name).trim() !== "");
    // No preview while a field other than the name is missing or wrong: the user may still be typing.
    if (form.querySelector(":is(input, select, textarea):invalid:not([name=name])")) return;
    if (work.busy.peek()) schedule();
    else
      void work.run(async () => {
        if (!isBounded) {
          preview.value = null;
          return;
        }
        const limitInForm = limitArguments(values, metricOf(limit));
        // Only saving requires a name, not the preview.
        const previewed = { ...limitInForm, name: limitInForm.name || LIMITS.newLimit };
        const args = { ...(id !== null && { id }), limit: previewed, days: PREVIEW_DAYS };
        preview.value = await api.ask<LimitPreview>("/limits/preview", args);
      });
  };
  const schedule = () => delay(run);
  useEffect(run, []);
  return { frame, schedule, work, result: preview.value };
}

interface LimitFormProps extends EditFormProps {
  limit: NewLimit;
}

/** All fields of a limit, with a preview of the last 30 days. */
export function LimitForm({ limit, id, references, onSaved, onCancel }: LimitFormProps) {
  const { api } = useMuster();
  const work = useWork();
  const preview = useLivePreview(id, limit);
  const saveChanges = useSaveUnlessChanged("/limits/get", id === null ? null : limit);
  const save = async (values: FormData) => {
    const args = limitArguments(values, metricOf(limit));
    if (id === null) await api.send("/limits/create", args);
    else await saveChanges({ id }, Object.keys(args), () => api.send("/limits/update", { id, ...args }));
    onSaved();
  };
  return (
    <>
      <div ref={preview.frame} onInput={preview.schedule} onChange={preview.schedule}>
        <Form
          work={work}
          submit={id === null ? LIMITS.create : LIMITS.save}
          onSubmit={save}
          onCancel={onCancel}
        >
          <Field
            label={LIMITS.name}
            name="name"
            defaultValue={limit.name}
            required
            maxLength={100}
            autoFocus
          />
          <Check label={LIMITS.enabled} name="enabled" checked={limit.enabled} />
          <MetricFields limit={limit} />
          <RareFields limit={limit} />
          <PlaceFields limit={limit} references={references} />
          <Field
            label={LIMITS.note}
            name="note"
            defaultValue={limit.note}
            maxLength={1000}
            hint={LIMITS.noteHint}
          />
          <Field
            label={LIMITS.runbook}
            name="runbook"
            defaultValue={limit.runbook}
            maxLength={2048}
            placeholder="https://"
            hint={LIMITS.runbookHint}
          />
        </Form>
      </div>
      {id !== null && limit.period === "month" && <MonthSums id={id} limit={limit} />}
      <LimitPreviewOf work={preview.work} preview={preview.result} days={PREVIEW_DAYS} />
    </>
  );
}
