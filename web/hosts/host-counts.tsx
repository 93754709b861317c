import { useContext } from "preact/hooks";
import type { HostsSummary } from "../api/types.ts";
import { formatNumber } from "../text/format.ts";
import { Led } from "../ui/led.tsx";
import { SummaryContext } from "../ui/overall-status.ts";
import { UI } from "../ui/ui.texts.ts";
import { HOSTS } from "./hosts.texts.ts";

/** Name, state in the address of the list, light, and the places of the conditions in the API's summary. */
const TILES = [
  ["down", "failed", 0, [0]],
  ["problems", "problems", 1, [1, 2]],
  ["ok", "ok", 2, [3]],
] as const;
/** The same without the light, for conditions that are shown only if a host is in them. */
const QUIET = [
  ["stopped", "inactive", [4]],
  ["ignored", "ignored", [5]],
] as const;

function countIn({ status }: HostsSummary, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + (status[place]?.data ?? 0), 0);
}

/**
 * How many hosts are down, have problems or are OK, each with a link to those hosts; less prominently, how many are
 * stopped or ignored.
 */
export function HostCounts({ chosen }: { chosen?: string }) {
  const summary = useContext(SummaryContext)?.data.value;
  const link = (state: string) => (chosen === state ? "/hosts" : `/hosts?state=${state}`);
  const quiet = QUIET.flatMap(([key, state, places]) => {
    const count = summary ? countIn(summary, places) : 0;
    return count > 0 || chosen === state ? [{ key, state, count }] : [];
  });
  return (
    <nav aria-label={HOSTS.byState} class="counts-frame">
      <ul class="counts">
        {TILES.map(([key, state, led, places]) => {
          const count = summary ? countIn(summary, places) : undefined;
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
              {HOSTS.quiet[key](count)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
