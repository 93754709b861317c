import { useContext, useEffect } from "preact/hooks";
import type { Records, Rule } from "../alerting/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { LazyScreen } from "../ui/lazy-screen.tsx";
import { NoHosts } from "../ui/no-hosts.tsx";
import { SummaryContext } from "../ui/overall-status.ts";
import { WELCOME } from "./welcome.texts.ts";

/** Poll interval for the first host, short because someone is waiting for it. */
const WATCH_MS = 2000;

const setup = async () => (await import("./setup.tsx")).Setup;

/** Shown in place of the overview until the first host has reported, and to administrators until they finish or leave it. */
export function Welcome({ hasHosts }: { hasHosts: boolean }) {
  const { session, view } = useMuster();
  const isAdmin = session.isAdmin;
  const rules = useResource<Records<Rule>>(
    "/admin/rules/list",
    {},
    { skip: !isAdmin || !hasHosts, every: WATCH_MS / 1000 },
  );
  const isFinished = (rules.data.value?.records.length ?? 0) > 0;
  const leave = () => {
    view.firstSteps.value = false;
  };
  const summary = useContext(SummaryContext);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void summary?.refresh();
    }, WATCH_MS);
    return () => clearInterval(timer);
  }, [summary]);
  if (!isAdmin) return <NoHosts none={WELCOME.noHost} />;
  return (
    <>
      <LazyScreen load={setup} />
      {hasHosts && (
        <p class="setup-done">
          <button type="button" class={isFinished ? "primary" : ""} onClick={leave}>
            {isFinished ? WELCOME.done : WELCOME.later}
          </button>
        </p>
      )}
    </>
  );
}
