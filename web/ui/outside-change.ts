import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps an input in step with a value that is also changed elsewhere, as by a link or a button that clears it. What the
 * input has sent itself is not written back into it: more may have been typed since.
 * @param value what the input shows and changes
 * @param take writes the value into the input
 * @returns has to be called with each value that the input sends, before it is sent
 */
export function useOutsideChange(value: string, take: () => void): (sent: string) => void {
  const last = useRef(value);
  // A layout effect, because anything typed before another effect runs would be replaced.
  useLayoutEffect(() => {
    if (value === last.current) return;
    last.current = value;
    take();
  }, [value]);
  return (sent) => {
    last.current = sent;
  };
}
