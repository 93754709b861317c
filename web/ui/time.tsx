import { useMuster } from "../state/muster.ts";
import { formatAbsolute, formatRelative } from "../text/format.ts";

interface TimeProps {
  /** Unix seconds. */
  at: number;
  /** Show the absolute time, with the relative one on hover. */
  absolute?: boolean;
}

/** A relative time that updates itself, with the absolute one on hover and on paper. */
export function Time({ at, absolute = false }: TimeProps) {
  const { now } = useMuster();
  const exact = formatAbsolute(at);
  const relative = formatRelative(at, now.value);
  return (
    <time
      class={absolute ? "time" : "time time-relative"}
      dateTime={new Date(at * 1000).toISOString()}
      title={absolute ? relative : exact}
    >
      {absolute ? exact : relative}
    </time>
  );
}
