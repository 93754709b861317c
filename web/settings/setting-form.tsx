import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Setting, SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { capitalize } from "../text/format.ts";
import { Field, Form, Select, textOf, useWork } from "../ui/form.tsx";
import { fieldError, SETTING_GROUPS, type SettingText } from "./setting-texts.ts";
import { SETTINGS } from "./settings.texts.ts";

interface FieldError {
  name: string;
  text: string;
}

function SettingField({
  setting,
  text,
  error,
}: {
  setting: Setting;
  text: SettingText;
  error: FieldError | null;
}) {
  const { name, value, kind, min, max } = setting;
  if (text.choices)
    return (
      <Select
        label={text.label}
        name={name}
        note={name}
        value={String(value)}
        options={text.choices}
        {...(text.hint && { hint: text.hint })}
      />
    );
  const type = text.secret ? "password" : kind === "number" ? "number" : "text";
  return (
    <Field
      label={text.label}
      name={name}
      note={name}
      {...(text.hint && { hint: text.hint })}
      {...(error?.name === name && { error: error.text })}
      type={type}
      revealable={text.secret === true}
      autoComplete="off"
      defaultValue={String(value)}
      min={min}
      max={max}
      required={kind === "number"}
    />
  );
}

/** The groups with their settings; those that the UI has no words for are in a group of their own. */
function groupsOf(settings: readonly Setting[]) {
  const known = new Set(SETTING_GROUPS.flatMap((group) => Object.keys(group.settings)));
  const others = settings.filter(({ name }) => !known.has(name));
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

/** All settings of the service. */
export function SettingForm({ from, settings }: { from: Resource<SettingsReply>; settings: Setting[] }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const wrong = useSignal<FieldError | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  /** Shows an error at the field that it is about. Another one is thrown on. */
  const show = (error: unknown) => {
    const found =
      error instanceof ApiError
        ? settings.map(({ name }) => [name, fieldError(name, error.message)] as const)
        : [];
    const [name, text] = found.find(([, one]) => one !== null) ?? [];
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
        {groupsOf(settings).map(({ title, settings: texts }) => {
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
                      error={wrong.value}
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
