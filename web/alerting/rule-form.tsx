import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { EVENT_STATES, EVENT_TYPES, SERVICE_TYPES } from "../text/names.ts";
import { Check, Field, Form, useWork } from "../ui/form.tsx";
import { Checks, DaysChoice, PlaceFields } from "./choices.tsx";
import type { Known } from "./known.ts";
import { PreviewOf, previewText } from "./preview.tsx";
import { ruleArguments } from "./rule-arguments.ts";
import type { EventFilter, Preview, QuietHours, Rule } from "./types.ts";

const MAX_MINUTES = 10_080;
const MAX_FLAP_COUNT = 20;
const MAX_FLAP_MINUTES = 1440;
const ALL_DAYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6];

/** A rule as new ones begin: of failures, and of their end. */
export const NEW_RULE: Omit<Rule, "id" | "position"> = {
  name: "",
  enabled: true,
  filter: { states: [1] },
  delay: 0,
  repeat: 0,
  recovery: true,
  final: false,
  quiet: null,
  escalateafter: 0,
  flapcount: 3,
  flapwindow: 10,
  channels: [],
  escalationchannels: [],
};

function Minutes({ label, name, value, hint }: { label: string; name: string; value: number; hint: string }) {
  return (
    <Field
      label={label}
      name={name}
      type="number"
      min={0}
      max={MAX_MINUTES}
      defaultValue={String(value)}
      hint={hint}
    />
  );
}

/** Filters that few rules need. */
function RareFilters({ filter }: { filter: EventFilter }) {
  const inUse = filter.servicetypes ?? filter.eventtypes ?? filter.servicegroups;
  const mask = filter.eventtypes ?? 0;
  const classes = EVENT_TYPES.filter(([bit]) => Math.floor(mask / bit) % 2 === 1).map(([bit]) => bit);
  return (
    <details open={inUse !== undefined}>
      <summary>Types and classes</summary>
      <div class="form">
        <Field
          label="Service groups"
          name="servicegroup"
          defaultValue={(filter.servicegroups ?? []).join(", ")}
          hint="Names of groups in the agents' control files, with commas between"
        />
        <Checks
          legend="Service types"
          name="servicetype"
          options={SERVICE_TYPES.map((name, code) => [code, name] as const)}
          chosen={filter.servicetypes ?? []}
          hint="None chosen: all"
        />
        <Checks
          legend="Classes of events"
          name="eventtype"
          options={EVENT_TYPES}
          chosen={classes}
          hint="None chosen: all"
        />
      </div>
    </details>
  );
}

function QuietFields({ quiet }: { quiet: QuietHours | null }) {
  const on = useSignal(quiet !== null);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          name="quiet"
          checked={on.value}
          onChange={(event) => {
            on.value = event.currentTarget.checked;
          }}
        />
        <span>Quiet hours: what fails meanwhile is told at their end, if it still fails</span>
      </label>
      {on.value && (
        <>
          <DaysChoice name="quietdays" days={quiet?.days ?? ALL_DAYS} />
          <div class="fields">
            <Field label="From" name="quietfrom" type="time" defaultValue={quiet?.from ?? "22:00"} required />
            <Field label="To" name="quietto" type="time" defaultValue={quiet?.to ?? "07:00"} required />
            <Field
              label="Time zone"
              name="quiettimezone"
              defaultValue={quiet?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
              required
            />
          </div>
        </>
      )}
    </>
  );
}

function FlapFields({ rule }: Pick<RuleFormProps, "rule">) {
  return (
    <div class="fields">
      <Field
        label="Flapping: failures"
        name="flapcount"
        type="number"
        min={0}
        max={MAX_FLAP_COUNT}
        defaultValue={String(rule.flapcount)}
        hint="So many failures are notified once, as flapping; 0: each by itself"
      />
      <Field
        label="Within"
        name="flapwindow"
        type="number"
        min={1}
        max={MAX_FLAP_MINUTES}
        defaultValue={String(rule.flapwindow)}
        hint="Minutes; it ends after as many without a new failure"
        required
      />
    </div>
  );
}

interface RuleFormProps {
  rule: Omit<Rule, "id" | "position">;
  /** Null for one that does not exist yet. */
  id: number | null;
  known: Known;
  onSaved: () => void;
  onCancel: () => void;
}

/** A rule with everything about it, and what it would have sent. */
export function RuleForm({ rule, id, known, onSaved, onCancel }: RuleFormProps) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const previewing = useWork();
  const preview = useSignal<Preview | null>(null);
  const save = async (values: FormData) => {
    if (id === null) await api.post("/admin/rules/create", ruleArguments(values));
    else await api.post("/admin/rules/update", { id, ...ruleArguments(values) });
    onSaved();
  };
  const look = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    const { form } = event.currentTarget;
    if (!form?.reportValidity()) return;
    const args = { ...ruleArguments(new FormData(form)), ...(id !== null && { id }) };
    void previewing.run(async () => {
      const found = await api.post<Preview>("/admin/rules/preview", args);
      preview.value = found;
      announce(previewText(found));
    });
  };
  const channels = known.channels.map((channel) => [channel.id, channel.name] as const);
  return (
    <>
      <Form
        work={work}
        submit={id === null ? "Create rule" : "Save rule"}
        onSubmit={save}
        onCancel={onCancel}
        buttons={
          <button type="button" onClick={look} disabled={previewing.busy.value}>
            {previewing.busy.value ? "Working..." : "Preview the last week"}
          </button>
        }
      >
        <Field label="Name" name="name" defaultValue={rule.name} required maxLength={255} autoFocus />
        <Check label="In force" name="enabled" checked={rule.enabled} />
        <fieldset>
          <legend>Of what</legend>
          <PlaceFields place={rule.filter} known={known} />
          <Checks
            legend="States"
            name="state"
            options={EVENT_STATES.map((name, code) => [code, name] as const)}
            chosen={rule.filter.states ?? [1, 2]}
            hint="The end of a failure is told by the choice below; “success” here tells of each success by itself"
          />
          <RareFilters filter={rule.filter} />
        </fieldset>
        <fieldset>
          <legend>To whom</legend>
          <Checks
            legend="Channels"
            name="channelid"
            options={channels}
            chosen={rule.channels}
            none={
              <>
                There is no channel yet: make one under <a href="/alerts/channels">Channels</a> first.
              </>
            }
          />
        </fieldset>
        <fieldset>
          <legend>When</legend>
          <div class="fields">
            <Minutes
              label="Only if it still fails after"
              name="delay"
              value={rule.delay}
              hint="Minutes; 0: at once"
            />
            <Minutes
              label="Again every"
              name="repeat"
              value={rule.repeat}
              hint="Minutes while it fails; 0: not"
            />
            <Minutes
              label="Once more after"
              name="escalateafter"
              value={rule.escalateafter}
              hint="Minutes of failure; 0: not"
            />
          </div>
          {channels.length > 0 && (
            <Checks
              legend="Once more through"
              name="escalationchannelid"
              options={channels}
              chosen={rule.escalationchannels}
              hint="None chosen: the channels above. Choose others to call them when nobody has seen to it"
            />
          )}
          <FlapFields rule={rule} />
          <Check label="Tell when it is fine again" name="recovery" checked={rule.recovery} />
          <QuietFields quiet={rule.quiet} />
        </fieldset>
        <Check
          label="Last word: rules after this one do not see the events that it takes"
          name="final"
          checked={rule.final}
        />
      </Form>
      {previewing.problem.value && (
        <p class="form-problem" role="alert">
          {previewing.problem.value.message}
        </p>
      )}
      {preview.value && <PreviewOf preview={preview.value} names={known.names} />}
    </>
  );
}
