import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import type { Setting, SettingsReply } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { MAIL_SERVER } from "../text/mail-server.texts.ts";
import { Form } from "../ui/form.tsx";
import { textOf } from "../ui/form-values.ts";
import { Select } from "../ui/select.tsx";
import { SettingField } from "../ui/setting-field.tsx";
import { Loaded } from "../ui/states.tsx";
import { useWork } from "../ui/work.tsx";
import { ChannelSetting, settingsIn } from "./channel-fields.tsx";
import { Answer } from "./channel-test.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { ChannelKind, Records, Rule, TestAnswer } from "./types.ts";

/** The kinds of channels that need no other product. */
const SIMPLE = ["email", "ntfy"];
/** Name of the button that saves without a test. */
const UNTESTED = "untested";

type MailSetting = keyof typeof MAIL_SERVER.settings;
const MAIL_SETTINGS = Object.keys(MAIL_SERVER.settings) as MailSetting[];

function MailServer({ settings }: { settings: readonly Setting[] }) {
  return (
    <fieldset>
      <legend>{MAIL_SERVER.title}</legend>
      <p class="hint">{MAIL_SERVER.hint}</p>
      <div class="fields">
        {MAIL_SETTINGS.map((name) => {
          const setting = settings.find((item) => item.name === name);
          return (
            setting && (
              <SettingField
                key={name}
                setting={setting}
                text={MAIL_SERVER.settings[name]}
                required={name === "mailhost" || name === "mailfrom"}
              />
            )
          );
        })}
      </div>
    </fieldset>
  );
}

/** The mail server in the form. A password that is left empty keeps its value. */
function mailServerIn(values: FormData): Record<string, string> {
  const entries = MAIL_SETTINGS.map((name) => [name, textOf(values, name)] as const);
  return Object.fromEntries(entries.filter(([name, value]) => name !== "mailpassword" || value !== ""));
}

interface FirstRuleFormProps {
  kinds: readonly ChannelKind[];
  settings: readonly Setting[];
  /** Called with the result of the test; null if no test message was sent. */
  onDone: (answer: TestAnswer | null) => void;
}

function FirstRuleForm({ kinds, settings, onDone }: FirstRuleFormProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const failed = useSignal<TestAnswer | null>(null);
  const kindName = useSignal(kinds[0]?.kind ?? "");
  const kind = kinds.find((item) => item.kind === kindName.value);
  // As of the first rendering: the fields stay after they were saved here, as they may have to be corrected.
  const asksForServer = useRef(!settings.some(({ name, set }) => name === "mailhost" && set)).current;
  const isMail = kindName.value === "email";
  const fields = (kind?.fields ?? []).filter(({ shared }) => !shared);
  const storedValue = (setting: MailSetting) =>
    String(settings.find(({ name }) => name === setting)?.value ?? "");
  const save = async (values: FormData) => {
    failed.value = null;
    if (isMail && asksForServer) await api.post("/admin/settings/update", mailServerIn(values));
    const name = kind?.label ?? kindName.peek();
    const channel = { kind: kindName.peek(), name, settings: settingsIn(fields, values) };
    const answer = values.has(UNTESTED)
      ? null
      : await api.send<TestAnswer>("/admin/channels/test", { channel });
    if (answer && answer.outcome !== "sent") {
      failed.value = answer;
      throw new ApiError(400, "channel.untested", CHANNELS.testFailed);
    }
    const { id } = await api.send<{ id: number }>("/admin/channels/create", channel);
    await api.send("/admin/rules/create", { name: CHANNELS.firstRuleName, steps: [{ channels: [id] }] });
    notify(CHANNELS.firstRuleDone);
    onDone(answer);
  };
  const withoutTest = (
    <button type="submit" name={UNTESTED}>
      {CHANNELS.firstRuleAnyway}
    </button>
  );
  return (
    <Form work={work} submit={CHANNELS.firstRule} onSubmit={save} buttons={failed.value && withoutTest}>
      <Select
        label={CHANNELS.through}
        name="kind"
        value={kindName.value}
        options={kinds.map((item) => [item.kind, item.label] as const)}
        onChange={(next) => {
          kindName.value = next;
          failed.value = null;
          work.error.value = null;
        }}
      />
      {isMail && asksForServer && <MailServer settings={settings} />}
      {isMail && !asksForServer && (
        <p class="hint">
          {CHANNELS.serverInSettings(storedValue("mailhost"), storedValue("mailfrom"))}{" "}
          <a href="/settings">{CHANNELS.changeServer}</a>
        </p>
      )}
      {fields.map((field) => (
        <ChannelSetting key={`${kindName.value} ${field.name}`} field={field} channel={null} />
      ))}
      <p class="hint">{CHANNELS.firstRuleHint}</p>
      <div role="status">{failed.value && <Answer answer={failed.value} />}</div>
    </Form>
  );
}

/** Creates the first channel and the first rule in one form, after sending a test message. Says so if a rule exists. */
export function FirstRule() {
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const kinds = useResource<Records<ChannelKind>>("/admin/channels/kinds");
  const settings = useResource<SettingsReply>("/admin/settings/get");
  const answer = useSignal<TestAnswer | null>(null);
  return (
    <Loaded from={rules}>
      {({ records }) =>
        records.length > 0 ? (
          <>
            <p>
              {CHANNELS.setUp} {answer.value && CHANNELS.testSent} <a href="/alerts">{CHANNELS.showRules}</a>{" "}
              <a href="/alerts/channels">{CHANNELS.showChannels}</a>
            </p>
            {answer.value && <Answer answer={answer.value} />}
          </>
        ) : (
          <Loaded from={kinds}>
            {(kinds) => (
              <Loaded from={settings}>
                {(stored) => (
                  <FirstRuleForm
                    kinds={kinds.records.filter(({ kind, available }) => available && SIMPLE.includes(kind))}
                    settings={stored.settings}
                    onDone={(tested) => {
                      answer.value = tested;
                      void rules.refresh();
                    }}
                  />
                )}
              </Loaded>
            )}
          </Loaded>
        )
      }
    </Loaded>
  );
}
