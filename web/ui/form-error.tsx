/** Shows why a form was refused: at the field at fault if it is known, otherwise above the buttons. */
import type { Signal } from "@preact/signals";
import { createContext, type RefObject } from "preact";
import { useContext, useEffect, useLayoutEffect } from "preact/hooks";
import type { ApiError } from "../api/client.ts";

interface FormErrors {
  error: Signal<ApiError | null>;
  /** The names of the arguments whose fields show errors. */
  names: Set<string>;
}

export const FormErrorContext = createContext<FormErrors | null>(null);

/** The possible names of the field for an argument: "schedule.days[0]", "schedule.days", "schedule", "days". */
function namesOf(argument: string): string[] {
  const parts = argument.split(/(?=[.[])/);
  const paths = parts.map((_, i) => parts.slice(0, parts.length - i).join(""));
  const last = parts.findLast((part) => !part.startsWith("["))?.replace(".", "");
  return last ? [...paths, last] : paths;
}

/** The name of the field that shows this error; undefined if the form has none for it. */
export function fieldOf(error: ApiError | null, names: ReadonlySet<string>): string | undefined {
  return error?.argument ? namesOf(error.argument).find((name) => names.has(name)) : undefined;
}

/** The error of the field with this name. The form does not show it elsewhere. */
export function useFieldError(name: string | undefined): string | undefined {
  const form = useContext(FormErrorContext);
  useLayoutEffect(() => {
    if (!form || name === undefined) return undefined;
    form.names.add(name);
    return () => {
      form.names.delete(name);
    };
  }, [form, name]);
  const error = form?.error.value;
  return error && name !== undefined && fieldOf(error, form.names) === name ? error.message : undefined;
}

/** The error of a fieldset. */
export function FieldsetError({ name }: { name: string }) {
  const error = useFieldError(name);
  return error === undefined ? null : (
    <p class="form-error" role="alert" data-failed>
      {error}
    </p>
  );
}

/** Scrolls to the first error of a form when there is one, and focuses its field. */
export function useFirstErrorShown(ref: RefObject<HTMLFormElement | null>, error: ApiError | null): void {
  // After the fields have rendered their errors.
  useEffect(() => {
    const shown = error && ref.current?.querySelector<HTMLElement>("[data-failed]");
    if (!shown) return;
    const field = shown
      .closest(".field, fieldset")
      ?.querySelector<HTMLElement>("input:not([type=hidden]), select, textarea");
    field?.focus({ preventScroll: true });
    shown.scrollIntoView({ block: "center" });
  }, [error]);
}
