import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/client.ts";
import type { Resource } from "../state/polled-resource.ts";
import { UI } from "./ui.texts.ts";

/** Says why there is nothing to show. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/**
 * The message of an error, read out by screen readers.
 * @param retry without it, there is no button to try again
 */
export function ErrorMessage({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="error-message" role="alert">
      <p>{error.message}</p>
      {retry && (
        <button type="button" onClick={retry}>
          {UI.tryAgain}
        </button>
      )}
    </div>
  );
}

/** Says that the content is loading. */
export function Loading() {
  return (
    <p class="loading" aria-busy="true">
      {UI.loading}
    </p>
  );
}

interface LoadedProps<T> {
  from: Resource<T>;
  children: (data: T) => ComponentChildren;
}

/**
 * Shows the data of a resource, or that it is loading, or why it could not be read. While the service is unreachable,
 * the last data stays and the page's banner says so.
 */
export function Loaded<T>({ from, children }: LoadedProps<T>) {
  const data = from.data.value;
  const error = from.error.value;
  const refused = error && !error.unreachable;
  if (data === null && error) return <ErrorMessage error={error} retry={() => void from.refresh()} />;
  if (data === null) return <Loading />;
  return (
    <>
      {refused && <ErrorMessage error={error} retry={() => void from.refresh()} />}
      {children(data)}
    </>
  );
}
