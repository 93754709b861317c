import { useContext, useEffect } from "preact/hooks";
import { LazyScreen } from "../shell/lazy-screen.tsx";
import { useMuster } from "../state/muster.ts";
import { SummaryContext } from "../ui/overall-status.ts";
import { Empty } from "../ui/states.tsx";
import { WELCOME } from "./welcome.texts.ts";

/** Poll interval for the first host, short because somebody is waiting for it. */
const WATCH_MS = 2000;

const setup = async () => (await import("./setup.tsx")).Setup;

/** Shown in place of the overview until the first host has reported. */
export function Welcome() {
  const { session } = useMuster();
  const summary = useContext(SummaryContext);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void summary?.refresh();
    }, WATCH_MS);
    return () => clearInterval(timer);
  }, [summary]);
  if (!session.user.value?.admin) return <Empty>{WELCOME.noHost}</Empty>;
  return <LazyScreen load={setup} />;
}
