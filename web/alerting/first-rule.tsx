import { useSignal } from "@preact/signals";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Form, Select, useWork, WorkError } from "../ui/form.tsx";
import { Loaded } from "../ui/states.tsx";
import { ChannelSetting, settingArguments } from "./channel-fields.tsx";
import { Answer, TestButton, useChannelTest } from "./channel-test.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { ChannelKind, Records, Rule } from "./types.ts";

/** The kinds of channels that somebody can set up without another product. */
const SIMPLE = ["email", "ntfy"];

function FirstRuleForm({ kinds, onDone }: { kinds: readonly ChannelKind[]; onDone: () => void }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const test = useChannelTest(null);
  const chosen = useSignal(kinds[0]?.kind ?? "");
  const kind = kinds.find((one) => one.kind === chosen.value);
  const save = async (values: FormData) => {
    const name = kind?.label ?? chosen.peek();
    const channel = await api.post<{ id: number }>("/admin/channels/create", {
      kind: chosen.peek(),
      name,
      ...settingArguments(kind?.fields ?? [], values),
    });
    await api.post("/admin/rules/create", { name: CHANNELS.firstRuleName, channelid: channel.id });
    notify(CHANNELS.firstRuleDone);
    onDone();
  };
  return (
    <Form
      work={work}
      submit={CHANNELS.firstRule}
      onSubmit={save}
      buttons={<TestButton test={test} kind={kind} />}
    >
      <Select
        label={CHANNELS.through}
        name="kind"
        value={chosen.value}
        options={kinds.map((one) => [one.kind, one.label] as const)}
        onChange={(next) => {
          chosen.value = next;
          test.reset();
        }}
      />
      {(kind?.fields ?? []).map((field) => (
        <ChannelSetting key={`${chosen.value} ${field.name}`} field={field} channel={null} />
      ))}
      <p class="hint">{CHANNELS.firstRuleHint}</p>
      <WorkError work={test.work} />
      <div role="status">{test.answer && <Answer answer={test.answer} />}</div>
    </Form>
  );
}

/** Makes the first channel and the first rule in one form. Where there is a rule, says so. */
export function FirstRule() {
  const rules = useResource<Records<Rule>>("/admin/rules/list");
  const kinds = useResource<Records<ChannelKind>>("/admin/channels/kinds");
  return (
    <Loaded from={rules}>
      {({ records }) =>
        records.length > 0 ? (
          <p>
            {CHANNELS.setUp} <a href="/alerts">{CHANNELS.showRules}</a>{" "}
            <a href="/alerts/channels">{CHANNELS.showChannels}</a>
          </p>
        ) : (
          <Loaded from={kinds}>
            {(all) => (
              <FirstRuleForm
                kinds={all.records.filter(({ kind, available }) => available && SIMPLE.includes(kind))}
                onDone={() => void rules.refresh()}
              />
            )}
          </Loaded>
        )
      }
    </Loaded>
  );
}
