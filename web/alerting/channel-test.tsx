import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { textOf } from "../ui/form-values.ts";
import { useWork } from "../ui/work.tsx";
import { settingsIn } from "./channel-fields.tsx";
import { CHANNELS } from "./channels.texts.ts";
import type { Channel, ChannelKind, TestAnswer } from "./types.ts";

/** What the channel answered to the test message. */
export function Answer({ answer }: { answer: TestAnswer }) {
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [answer]);
  return (
    <div ref={shown} class="answer">
      <p>
        <strong>{CHANNELS.answers[answer.outcome](answer.duration)}</strong>
      </p>
      <pre class="as-written">{answer.detail || CHANNELS.noAnswer}</pre>
    </div>
  );
}

/** Sends a test message with the settings in the form, whether saved or not. */
export function useChannelTest(channel: Channel | null) {
  const { api } = useMuster();
  const work = useWork();
  const answer = useSignal<TestAnswer | null>(null);
  /** Runs the test for a button within the form. */
  const run = (button: HTMLButtonElement, kind: ChannelKind | undefined) => {
    const { form } = button;
    if (!kind || !form?.reportValidity()) return;
    answer.value = null;
    const values = new FormData(form);
    const tested = {
      // The first channel has no name yet.
      name: textOf(values, "name") || kind.label,
      kind: kind.kind,
      settings: settingsIn(kind.fields, values),
    };
    void work.run(async () => {
      const args = { ...(channel && { id: channel.id }), channel: tested };
      answer.value = await api.send<TestAnswer>("/admin/channels/test", args);
    });
  };
  const reset = () => {
    answer.value = null;
    work.error.value = null;
  };
  return { work, run, reset, answer: answer.value };
}

interface TestButtonProps {
  test: ReturnType<typeof useChannelTest>;
  kind: ChannelKind | undefined;
}

/** A button that sends the test message. It must be within the form. */
export function TestButton({ test, kind }: TestButtonProps) {
  const isBusy = test.work.busy.value;
  return (
    <button type="button" onClick={(event) => test.run(event.currentTarget, kind)} disabled={isBusy}>
      {isBusy ? CHANNELS.testing : CHANNELS.test}
    </button>
  );
}
