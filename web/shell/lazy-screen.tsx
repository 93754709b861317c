import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { ErrorMessage, Loading } from "../ui/states.tsx";
import { SHELL } from "./shell.texts.ts";

/** A screen whose code is loaded when it is first opened, which keeps the first load of the page small. */
export function LazyScreen({ load }: { load: () => Promise<ComponentType> }) {
  // Wrapped in an object, because a bare function could be mistaken for one that computes the state.
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
    const error = new ApiError(0, "unreachable", SHELL.notLoaded);
    // The whole page is reloaded: after an upgrade, an open page asks for files of the previous version.
    return <ErrorMessage error={error} retry={() => location.reload()} />;
  }
  if (!loaded.value) return <Loading />;
  const { Screen } = loaded.value;
  return <Screen />;
}
