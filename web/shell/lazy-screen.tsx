import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { ErrorMessage } from "../ui/states.tsx";

/** A screen that is fetched when it is first asked for: the first load of the page is without it. */
export function LazyScreen({ load }: { load: () => Promise<ComponentType> }) {
  // A component is a function: held in an object, it is not taken for a way to compute the state.
  const loaded = useSignal<{ Screen: ComponentType } | null>(null);
  const failed = useSignal(false);
  useEffect(() => {
    load().then(
      (Screen) => {
        loaded.value = { Screen };
      },
      (error: unknown) => {
        console.error(error);
        failed.value = true;
      },
    );
  }, [load]);
  if (failed.value) {
    const error = new ApiError(0, "unreachable", "This page could not be loaded");
    // Anew from the start: after an upgrade, this page still asks for files of the version before.
    return <ErrorMessage error={error} retry={() => location.reload()} />;
  }
  if (!loaded.value) {
    return (
      <p class="loading" aria-busy="true">
        Loading...
      </p>
    );
  }
  const { Screen } = loaded.value;
  return <Screen />;
}
