import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { Form } from "../ui/form.tsx";
import { Check } from "../ui/select.tsx";
import { UI } from "../ui/ui.texts.ts";
import { useSaveUnlessChanged } from "../ui/unchanged.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import type { EditFormProps } from "./edit-screen.tsx";
import { PreviewOf, previewText, type ShownPreview } from "./preview.tsx";
import { ruleArguments } from "./rule-arguments.ts";
import { RuleFilterFields } from "./rule-filter-fields.tsx";
import { RuleStepFields, refuseNobody } from "./rule-step-fields.tsx";
import { RuleTimingFields } from "./rule-timing-fields.tsx";
import { RULES } from "./rules.texts.ts";
import type { NewRule, Preview } from "./types.ts";

/** What the form of a new rule starts with: notifications of failures and of recoveries. */
export const NEW_RULE: NewRule = {
  name: "",
  enabled: true,
  filter: { states: [1] },
  delay: 0,
  repeat: 0,
  recovery: true,
  final: false,
  quiet: null,
  flapcount: 3,
  flapwindow: 10,
  steps: [],
};

/** Previews what the rule in the form would have sent last week, saved or not. `id` is null for a new rule. */
function useRulePreview(id: number | null) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const preview = useSignal<ShownPreview | null>(null);
  /** Runs the preview for a button within the form. */
  const run = ({ currentTarget: { form } }: TargetedMouseEvent<HTMLButtonElement>) => {
    if (!form?.reportValidity()) return;
    const args = { ...(id !== null && { id }), rule: ruleArguments(new FormData(form)) };
    void work.run(async () => {
      const result = await api.ask<Preview>("/admin/rules/preview", args);
      const shown = { ...result, ofMuster: "about" in args.rule.filter };
      preview.value = shown;
      announce(previewText(shown));
    });
  };
  return { work, run, result: preview.value };
}

interface RuleFormProps extends EditFormProps {
  rule: NewRule;
}

/** All fields of a rule, with a preview of what it would have sent. */
export function RuleForm({ rule, id, references, onSaved, onCancel }: RuleFormProps) {
  const { api } = useMuster();
  const work = useWork();
  const preview = useRulePreview(id);
  const ofMuster = useSignal(rule.filter.about === "muster");
  const saveChanges = useSaveUnlessChanged("/admin/rules/get", id === null ? null : rule);
  const save = async (values: FormData) => {
    refuseNobody(values);
    const args = ruleArguments(values);
    if (id === null) await api.send("/admin/rules/create", args);
    else await saveChanges({ id }, Object.keys(args), () => api.send("/admin/rules/update", { id, ...args }));
    onSaved();
  };
  return (
    <>
      <Form
        work={work}
        submit={id === null ? RULES.create : RULES.save}
        onSubmit={save}
        onCancel={onCancel}
        buttons={
          <button type="button" onClick={preview.run} disabled={preview.work.busy.value}>
            {preview.work.busy.value ? UI.working : RULES.previewLastWeek}
          </button>
        }
      >
        <Field label={RULES.name} name="name" defaultValue={rule.name} required maxLength={255} autoFocus />
        <Check label={RULES.enabled} name="enabled" checked={rule.enabled} />
        <RuleFilterFields
          filter={rule.filter}
          references={references}
          ofMuster={ofMuster.value}
          onOfMuster={(value) => {
            ofMuster.value = value;
          }}
        />
        <RuleStepFields steps={rule.steps} references={references} />
        <RuleTimingFields rule={rule} />
        <Check label={RULES.final} name="final" checked={rule.final} />
      </Form>
      <WorkError work={preview.work} />
      {preview.result && <PreviewOf preview={preview.result} names={references.names} />}
    </>
  );
}
