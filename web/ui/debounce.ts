import { useEffect, useRef } from "preact/hooks";

/**
 * Delays a task until nothing has been delayed for a while. Only the last task runs, and none once the component is gone.
 * @param ms length of the pause
 */
export function useDebounce(ms: number) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const cancel = () => clearTimeout(timer.current);
  useEffect(() => cancel, []);
  const delay = (task: () => void) => {
    cancel();
    timer.current = setTimeout(task, ms);
  };
  return { delay, cancel };
}
