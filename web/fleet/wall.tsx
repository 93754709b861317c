import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asApiError } from "../api/client.ts";
import type { Wall } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatClock } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Comparison } from "./compare-chart.tsx";
import { Distribution } from "./distribution.tsx";
import { TopList } from "./top-list.tsx";
import { VIEWS } from "./views.texts.ts";
import { metricOfView } from "./views.ts";

/** Time between two readings, even while the service is unreachable, milliseconds. */
const REFRESH_MS = 30_000;
const UNKNOWN = 404;

/**
 * Reads the content of the wall while the page is open. A token in the fragment is first exchanged for a cookie and
 * removed from the address.
 */
function useWall() {
  const { api } = useMuster();
  const wall = useSignal<Wall | null>(null);
  const failure = useSignal<"none" | "unknown" | "away">("none");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    let token = location.hash.slice(1);
    const read = async () => {
      try {
        if (token !== "") {
          await api.post("/wall/open", { token });
          token = "";
          history.replaceState(null, "", location.pathname + location.search);
        }
        const shown = await api.get<Wall>("/wall/show");
        // After an upgrade of the service, the page is of the previous version.
        if (wall.peek() && wall.peek()?.version !== shown.version) location.reload();
        wall.value = shown;
        failure.value = "none";
      } catch (error) {
        failure.value = asApiError(error).status === UNKNOWN ? "unknown" : "away";
      }
      if (!isOver) timer = setTimeout(() => void read(), REFRESH_MS);
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [api]);
  return { wall: wall.value, failure: failure.value };
}

/** The hosts ranked by one metric. */
function Ranking({ ranking }: { ranking: Pick<Wall, "statistics" | "descriptor" | "top"> }) {
  return <TopList metric={metricOfView(ranking)} rows={ranking.top.records} />;
}

/** A saved view on a wall: large, without controls, without a user. */
export function WallScreen() {
  const { wall, failure } = useWall();
  if (failure === "unknown") return <main class="wall wall-message">{VIEWS.unknown}</main>;
  if (!wall) return <main class="wall wall-message">{VIEWS.waiting}</main>;
  const metric = metricOfView(wall);
  const time = formatClock(wall.top.date);
  return (
    <main class="wall">
      <header>
        <h1>{wall.name}</h1>
        <p class={failure === "away" ? "wall-stale" : "muted"}>
          {failure !== "away" && VIEWS.asOf(time)}
          <span role="status">{failure === "away" && VIEWS.away(time)}</span>
        </p>
      </header>
      {wall.rankings.length === 0 ? (
        <Ranking ranking={wall} />
      ) : (
        <div class="wall-rankings">
          {[wall, ...wall.rankings].map((ranking) => (
            <Section key={metricOfView(ranking).key} title={metricOfView(ranking).text}>
              <Ranking ranking={ranking} />
            </Section>
          ))}
        </div>
      )}
      {wall.comparison && (
        <div inert>
          <Section title={VIEWS.lastDay}>
            <Comparison metric={metric} comparison={wall.comparison} />
          </Section>
        </div>
      )}
      <Distribution top={wall.top} type={metric.types[0] ?? 0} />
    </main>
  );
}
