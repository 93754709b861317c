import { useContext } from "preact/hooks";
import { formatNumber } from "../text/format.ts";
import { HOST_CONDITIONS } from "../text/names.ts";
import { Led } from "../ui/led.tsx";
import { SummaryContext } from "../ui/overall-status.ts";

/**
 * Number of hosts in each condition, linked to those hosts. `chosen` is the key of the condition that is
 * filtered by.
 */
export function HostCounts({ chosen }: { chosen?: string | null }) {
  const summary = useContext(SummaryContext)?.data.value;
  return (
    <nav aria-label="Hosts by condition">
      <ul class="counts">
        {HOST_CONDITIONS.map(({ key, label, led }, i) => {
          const count = summary?.status[i]?.data;
          const here = chosen === key;
          return (
            <li key={key} class={count ? "count" : "count count-none"}>
              <a href={here ? "/hosts" : `/hosts?state=${key}`} aria-current={here ? "true" : undefined}>
                <span class="count-number">
                  <Led led={led} words="sr-only" />
                  {count === undefined ? "–" : formatNumber(count, 0)}
                </span>
                <span class="count-label">{label.replace("/", "/\u200b")}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
