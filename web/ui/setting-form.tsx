import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Setting, SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { capitalize } from "../text/format.ts";
import { Form } from "./form.tsx";
import { textOf } from "./form-values.ts";
import { SettingField, type SettingText } from "./setting-field.tsx";
import { SETTING_FORM } from "./setting-form.texts.ts";
import { useSaveUnlessChanged } from "./unchanged.ts";
import { useWork } from "./work.tsx";

interface FieldError {
  name: string;
  text: string;
}

export interface SettingGroup {
  title: string;
  settings: Readonly<Record<string, SettingText>>;
}

/** An error about a setting without the name of the argument: "sessionidle must be ..." as "Must be ...". */
function fieldError(name: string, message: string): string | null {
  const [first, ...rest] = message.split(" ");
  if (first !== name || rest.length === 0) return null;
  return capitalize(rest.join(" "));
}

interface SettingFormProps {
  from: Resource<SettingsReply>;
  /** All settings; the groups say which of them are shown. */
  settings: readonly Setting[];
  groups: readonly SettingGroup[];
  /** Label of the button. */
  submit?: string;
}

const valuesOf = (settings: readonly Setting[]): object =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value]));

/** Settings of the service, in groups. */
export function SettingForm({ from, settings: all, groups, submit = SETTING_FORM.save }: SettingFormProps) {
  const settings = all.filter(({ name }) => groups.some((group) => name in group.settings));
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const saveChanges = useSaveUnlessChanged("/admin/settings/get", valuesOf(all), (reply: SettingsReply) =>
    valuesOf(reply.settings),
  );
  const wrong = useSignal<FieldError | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  /** Shows an error at the field that it concerns. Rethrows any other error. */
  const show = (error: unknown) => {
    const fieldErrors =
      error instanceof ApiError
        ? settings.map(({ name }) => [name, fieldError(name, error.message)] as const)
        : [];
    const [name, text] = fieldErrors.find(([, message]) => message !== null) ?? [];
    if (!name || !text) throw error;
    wrong.value = { name, text };
    frame.current?.querySelector<HTMLElement>(`[name="${name}"]`)?.focus();
    throw new ApiError(400, "argument.invalid", SETTING_FORM.nothingSaved);
  };
  const save = async (values: FormData) => {
    wrong.value = null;
    const changed = settings.filter(({ name, value }) => textOf(values, name) !== String(value));
    if (changed.length > 0) {
      const args = Object.fromEntries(changed.map(({ name }) => [name, textOf(values, name)]));
      await saveChanges({}, Object.keys(args), () => api.post("/admin/settings/update", args).catch(show));
      await from.refresh();
    }
    notify(SETTING_FORM.saved);
  };
  return (
    <Form work={work} submit={submit} onSubmit={save}>
      <div ref={frame} class="setting-groups">
        {groups.map(({ title, settings: texts }) => {
          const fields = settings.filter(({ name }) => name in texts);
          return (
            fields.length > 0 && (
              <fieldset key={title}>
                <legend>{title}</legend>
                <div class="fields">
                  {fields.map((setting) => (
                    <SettingField
                      key={setting.name}
                      setting={setting}
                      text={texts[setting.name] ?? { label: setting.name }}
                      note={setting.name}
                      required={texts[setting.name]?.required === true}
                      error={wrong.value?.name === setting.name ? wrong.value.text : undefined}
                    />
                  ))}
                </div>
              </fieldset>
            )
          );
        })}
      </div>
    </Form>
  );
}
