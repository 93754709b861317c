import { useMuster } from "../state/muster.ts";
import { formatAbsolute, formatRelative } from "../text/format.ts";

interface TimeProps {
  /** Unix seconds. */
  at: number;
  /** Show the absolute time and keep the relative one for the hover. */
  absolute?: boolean;
}

/** A point in time: relative, moving on by itself, with the absolute one on hover. */
export function Time({ at, absolute = false }: TimeProps) {
  const { now } = useMuster();
  const exact = formatAbsolute(at);
  const relative = formatRelative(at, now.value);
  return (
    <time class="time" dateTime={new Date(at * 1000).toISOString()} title={absolute ? relative : exact}>
      {absolute ? exact : relative}
    </time>
  );
}
