import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { Check, Field, Form, useWork, WorkError } from "../ui/form.tsx";
import { CheckboxGroup } from "./choices.tsx";
import { PreviewOf, previewText } from "./preview.tsx";
import type { References } from "./references.ts";
import { ruleArguments } from "./rule-arguments.ts";
import { RuleFilterFields } from "./rule-filter-fields.tsx";
import { RuleTimingFields } from "./rule-timing-fields.tsx";
import type { Preview, Rule } from "./types.ts";

/** A new rule: of failures and their end. */
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

/** What the rule in the form would have sent last week, saved or not. `id` is null for a new rule. */
function useRulePreview(id: number | null) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const preview = useSignal<Preview | null>(null);
  /** For a button within the form. */
  const run = ({ currentTarget: { form } }: TargetedMouseEvent<HTMLButtonElement>) => {
    if (!form?.reportValidity()) return;
    const args = { ...ruleArguments(new FormData(form)), ...(id !== null && { id }) };
    void work.run(async () => {
      const found = await api.post<Preview>("/admin/rules/preview", args);
      preview.value = found;
      announce(previewText(found));
    });
  };
  return { work, run, result: preview.value };
}

interface RuleFormProps {
  rule: Omit<Rule, "id" | "position">;
  /** Null for one that does not exist yet. */
  id: number | null;
  references: References;
  onSaved: () => void;
  onCancel: () => void;
}

/** All fields of a rule, with a preview of what it would have sent. */
export function RuleForm({ rule, id, references, onSaved, onCancel }: RuleFormProps) {
  const { api } = useMuster();
  const work = useWork();
  const preview = useRulePreview(id);
  const save = async (values: FormData) => {
    if (id === null) await api.post("/admin/rules/create", ruleArguments(values));
    else await api.post("/admin/rules/update", { id, ...ruleArguments(values) });
    onSaved();
  };
  const channels = references.channels.map((channel) => [channel.id, channel.name] as const);
  return (
    <>
      <Form
        work={work}
        submit={id === null ? "Create rule" : "Save rule"}
        onSubmit={save}
        onCancel={onCancel}
        buttons={
          <button type="button" onClick={preview.run} disabled={preview.work.busy.value}>
            {preview.work.busy.value ? "Working..." : "Preview the last week"}
          </button>
        }
      >
        <Field label="Name" name="name" defaultValue={rule.name} required maxLength={255} autoFocus />
        <Check label="Enabled" name="enabled" checked={rule.enabled} />
        <RuleFilterFields filter={rule.filter} references={references} />
        <fieldset>
          <legend>Notify</legend>
          <CheckboxGroup
            legend="Channels"
            name="channelid"
            options={channels}
            chosen={rule.channels}
            none={
              <>
                There is no channel yet. Create one under <a href="/alerts/channels">Channels</a> first.
              </>
            }
          />
        </fieldset>
        <RuleTimingFields rule={rule} channels={channels} />
        <Check label="Stop processing further rules" name="final" checked={rule.final} />
      </Form>
      <WorkError work={preview.work} />
      {preview.result && <PreviewOf preview={preview.result} names={references.names} />}
    </>
  );
}
