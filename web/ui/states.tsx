import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import type { ApiError } from "../api/client.ts";
import { useMuster } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { UI } from "./ui.texts.ts";
import { keepFocus } from "./use-dialog.ts";

/** Says why there is nothing to show. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Name and address of the list to which the record of the page belongs; null for a page without one. */
export const ListContext = createContext<readonly [name: string, href: string] | null>(null);

/** Code of the error when a record does not exist, or is hidden from the user. */
const MISSING = "object.unknown";

interface ErrorMessageProps {
  error: ApiError;
  /** What could not be read, if the page around the message does not say it. */
  what?: string;
  /** Without it, there is no button to try again; nor if the arguments are wrong, which would be refused again. */
  retry?: () => void;
}

/** Says that a record does not exist. To read it again would not help: the way back to its list does. */
function Missing({ message }: { message: string }) {
  const list = useContext(ListContext);
  return (
    <div class="error-message" role="alert">
      <p>{UI.missing(message)}</p>
      {list && (
        <a class="button" href={list[1]}>
          {UI.backTo(list[0])}
        </a>
      )}
    </div>
  );
}

/** The message of an error, read out by screen readers. */
export function ErrorMessage({ error, what, retry }: ErrorMessageProps) {
  const button = useRef<HTMLButtonElement>(null);
  // Once it was read again, the pressed button is gone.
  useLayoutEffect(
    () => () => {
      if (button.current && document.activeElement === button.current) keepFocus();
    },
    [],
  );
  if (error.code === MISSING && what === undefined) return <Missing message={error.message} />;
  return (
    <div class="error-message" role="alert">
      <p>{what === undefined ? error.message : UI.notRead(what, error.message)}</p>
      {retry && error.status !== 400 && (
        <button ref={button} type="button" onClick={retry}>
          {UI.tryAgain}
        </button>
      )}
    </div>
  );
}

/**
 * Says that a part of the page could not be read, where nothing would be taken for "there is none". While the service is
 * unreachable, the page's banner says so.
 * @param what the part, as the subject of a sentence
 */
export function Unread({ from, what }: { from: Resource<unknown>; what: string }) {
  const { api } = useMuster();
  const error = from.error.value;
  // What was not read once will not be read again automatically if it is not polled.
  const isSaid = api.connection.value.lost || from.data.value !== null;
  if (!error || (error.unreachable && isSaid)) return null;
  return <ErrorMessage error={error} what={what} retry={() => void from.refresh()} />;
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
