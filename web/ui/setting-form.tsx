import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Setting, SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { capitalize } from "../text/format.ts";
import { Form, textOf, useWork } from "../ui/form.tsx";
import { SettingField, type SettingText } from "../ui/setting-field.tsx";
import { BACKUP_GROUPS, fieldError, SETTING_GROUPS, type SettingGroup } from "./setting-texts.ts";
import { SETTINGS } from "./settings.texts.ts";

interface FieldError {
  name: string;
  text: string;
}

/** The groups of the settings screen; settings without texts in the UI are in a group of their own. */
export function groupsOf(settings: readonly Setting[]): SettingGroup[] {
  const described = new Set(
    [...SETTING_GROUPS, ...BACKUP_GROUPS].flatMap((group) => Object.keys(group.settings)),
  );
  const others = settings.filter(({ name }) => !described.has(name));
  return [
    ...SETTING_GROUPS,
    {
      title: SETTINGS.others,
      settings: Object.fromEntries(
        others.map(({ name, doc }): [string, SettingText] => [name, { label: capitalize(doc) }]),
      ),
    },
  ];
}

interface SettingFormProps {
  from: Resource<SettingsReply>;
  /** All settings; the groups say which of them are shown. */
  settings: readonly Setting[];
  groups: readonly SettingGroup[];
}

/** Settings of the service, in groups. */
export function SettingForm({ from, settings: all, groups }: SettingFormProps) {
  const settings = all.filter(({ name }) => groups.some((group) => name in group.settings));
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
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
    throw new ApiError(400, "argument.invalid", SETTINGS.nothingSaved);
  };
  const save = async (values: FormData) => {
    wrong.value = null;
    const changed = settings.filter(({ name, value }) => textOf(values, name) !== String(value));
    if (changed.length > 0) {
      const args = Object.fromEntries(changed.map(({ name }) => [name, textOf(values, name)]));
      await api.post("/admin/settings/update", args).catch(show);
      await from.refresh();
    }
    notify(SETTINGS.saved);
  };
  return (
    <Form work={work} submit={SETTINGS.save} onSubmit={save}>
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
