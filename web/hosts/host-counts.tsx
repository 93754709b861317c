import { useContext } from "preact/hooks";
import type { HostsSummary, LedCode } from "../api/types.ts";
import { formatNumber } from "../text/format.ts";
import { Led } from "../ui/led.tsx";
import { SummaryContext } from "../ui/overall-status.ts";
import { UI } from "../ui/ui.texts.ts";
import { HOSTS } from "./hosts.texts.ts";

/** Positions of the six conditions in the API's summary. */
const CONDITIONS = { down: [0], problems: [1, 2], ok: [3], stopped: [4], ignored: [5] };
type Condition = keyof typeof CONDITIONS;

const TILES: readonly (readonly [key: Condition, state: string, led: LedCode])[] = [
  ["down", "failed", 0],
  ["problems", "problems", 1],
  ["ok", "ok", 2],
];
const QUIET: readonly (readonly [key: Condition, state: string])[] = [
  ["stopped", "inactive"],
  ["ignored", "ignored"],
];

function countOf(summary: HostsSummary | null | undefined, key: Condition): number | undefined {
  return summary
    ? CONDITIONS[key].reduce((sum, place) => sum + (summary.status[place]?.data ?? 0), 0)
    : undefined;
}

/**
 * How many hosts are down, have problems or are OK, each with a link to those hosts; less prominently, how many are
 * stopped or ignored.
 */
export function HostCounts({ chosen }: { chosen?: string | null }) {
  const summary = useContext(SummaryContext)?.data.value;
  const link = (state: string) => (chosen === state ? "/hosts" : `/hosts?state=${state}`);
  const quiet = QUIET.flatMap(([key, state]) => {
    const count = countOf(summary, key) ?? 0;
    return count > 0 || chosen === state ? [{ key, state, count }] : [];
  });
  return (
    <nav aria-label={HOSTS.byState} class="counts-frame">
      <ul class="counts">
        {TILES.map(([key, state, led]) => {
          const count = countOf(summary, key);
          return (
            <li key={key} class={count ? `count count-${key}` : "count count-none"}>
              <a href={link(state)} aria-current={chosen === state ? "true" : undefined}>
                <span class="count-number">
                  <Led led={led} text="" words="sr-only" />
                  {count === undefined ? UI.noValue : formatNumber(count, 0)}
                </span>
                <span class="count-label">{HOSTS.tiles[key]}</span>
              </a>
            </li>
          );
        })}
      </ul>
      <ul class="counts-quiet">
        {quiet.map(({ key, state, count }) => (
          <li key={key}>
            <a href={link(state)} aria-current={chosen === state ? "true" : undefined}>
              {HOSTS.quiet[key === "stopped" ? "stopped" : "ignored"](count)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
