import type { ComponentChildren } from "preact";
import type { Problem } from "../api/client.ts";
import type { Resource } from "../state/resource.ts";

/** Nothing to show, and why. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Trouble({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <p>{problem.message}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface LoadedProps<T> {
  from: Resource<T>;
  children: (data: T) => ComponentChildren;
}

/**
 * The data of a resource, or that it is loading, or why there is none. Data that is there stays while the service is
 * away: the page's banner tells that.
 */
export function Loaded<T>({ from, children }: LoadedProps<T>) {
  const data = from.data.value;
  const problem = from.problem.value;
  const refused = problem && !problem.unreachable;
  if (data === null && problem) return <Trouble problem={problem} retry={() => void from.refresh()} />;
  if (data === null) {
    return (
      <p class="loading" aria-busy="true">
        Loading...
      </p>
    );
  }
  return (
    <>
      {refused && <Trouble problem={problem} retry={() => void from.refresh()} />}
      {children(data)}
    </>
  );
}
