import { useSignal } from "@preact/signals";
import type { TargetedMouseEvent } from "preact";
import type { ConnectionTestResult, HostSettings } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Led } from "../ui/led.tsx";
import { useWork } from "../ui/work.tsx";
import { effectiveAddress } from "./host-arguments.ts";

/** Tries to reach the agent with the settings in the form, saved or not. */
export function useConnectionTest(host: HostSettings) {
  const { api } = useMuster();
  const work = useWork();
  const result = useSignal<ConnectionTestResult | null>(null);
  /** For a button within the form. */
  const run = ({ currentTarget: { form } }: TargetedMouseEvent<HTMLButtonElement>) => {
    if (!form) return;
    void work.run(async () => {
      result.value = null;
      const address = effectiveAddress(host, new FormData(form));
      result.value = await api.post<ConnectionTestResult>("/admin/hosts/test", address);
    });
  };
  return { run, busy: work.busy.value, error: work.error.value, result: result.value };
}

/** Result of the last test. The live region is rendered before the result, so that screen readers announce it. */
export function TestOutcome({ test }: { test: ReturnType<typeof useConnectionTest> }) {
  return (
    <div role="status">
      {test.error && <p class="form-error">{test.error.message}</p>}
      {test.result && (
        <p class="test-result">
          <Led led={test.result.status === "green" ? 2 : 0} text={test.result.description} />
        </p>
      )}
    </div>
  );
}
